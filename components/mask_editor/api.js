// What the editor asks of the server. An answer that is no success becomes an error whose message
// can be shown as it is; `status` is the HTTP status and `details` what else the server said.

class ServerError extends Error {
  constructor(message, status, details = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

async function asked(url, body, signal) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(url, { ...options, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The server cannot be reached. What you drew is kept in this browser.", 0);
  }
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  const content = isJson ? await answer.json() : { message: await answer.text() };
  if (!answer.ok) throw new ServerError(content.message, answer.status, content);
  return content;
}

// Of a blind audit (its id, else ""), masks are those that were drawn for it, and never the dataset's.
const maskUrl = (row, audit) => (audit ? `/api/blind/${audit}/rows/${row}/mask` : `/api/rows/${row}/mask`);
const currentMask = (row, audit) => asked(maskUrl(row, audit));
const saveMask = (row, audit, mask) => asked(maskUrl(row, audit), mask);
const proposeMasks = (row, prompts, signal) => asked(`/api/rows/${row}/propose`, prompts, signal);
const cleanedMask = (row, mask) => asked(`/api/rows/${row}/clean`, mask);
const encodeAhead = (rows, engine) => asked("/api/segmenters/ahead", { rows, engine });
const pictureUrl = (row, size) => `/api/rows/${row}/image?view=full&size=${size}`;
