// The rows that have been opened, with their pictures and unsaved work; knows no element of the page.

const PICTURE_PX = 2048; // larger photos are edited on a scaled picture, in native coordinates
const KEPT_PICTURES = 8;
const KEPT_SESSIONS = 40;

class Desk {
  // audit: id of the blind audit that masks are drawn for, else "".
  constructor(workspace, audit) {
    this.audit = audit;
    this.drafts = new Drafts(`${workspace}/${audit}`);
    this.sessions = new Map(); // row -> Session
    this.pictures = new Map(); // row -> promise of an image
    this.masks = new Map(); // row and version -> promise of the server's answer, fetched ahead
  }

  // What there is of a row: its session, and words about what became of unsaved work ("" if none).
  async open({ row, version }) {
    const [answer, draft] = await Promise.all([this.mask(row, version), this.drafts.get(row)]);
    const known = this.sessions.get(row);
    const session = known ?? this.begun(row, answer, draft);
    this.sessions.delete(row);
    this.sessions.set(row, session); // the last opened is the last to go
    for (const [old, each] of this.sessions) {
      if (this.sessions.size > KEPT_SESSIONS && !each.isDirty) this.sessions.delete(old);
    }
    if (session.version >= answer.version) {
      return { session, note: !known && session.isDirty ? "Your unsaved changes are back." : "" };
    }
    const wasDirty = session.isDirty;
    session.takeTheirs(answer);
    this.keep(session);
    return { session, note: newerWords(answer, wasDirty), isWarning: wasDirty };
  }

  begun(row, answer, draft) {
    const session = new Session(row, answer);
    const [height, width] = answer.size_hw;
    if (draft && draft.size[0] === width && draft.size[1] === height) {
      session.takeDraft(draft);
      session.version = draft.version;
    }
    return session;
  }

  // Fetched anew each time, unless it was fetched ahead: somebody else may have saved meanwhile.
  mask(row, version) {
    const key = `${row} ${version}`;
    const ahead = this.masks.get(key);
    this.masks.delete(key);
    return ahead ?? currentMask(row, this.audit);
  }

  picture(row) {
    const found = this.pictures.get(row) ?? loadedPicture(pictureUrl(row, PICTURE_PX));
    this.pictures.delete(row);
    this.pictures.set(row, found);
    if (this.pictures.size > KEPT_PICTURES) this.pictures.delete(this.pictures.keys().next().value);
    found.catch(() => this.pictures.delete(row)); // asked again the next time
    return found;
  }

  // Photos that will probably be opened next.
  prefetch(infos, engine) {
    const masks = this.masks;
    this.masks = new Map();
    for (const { row, version } of infos) {
      this.picture(row).catch(() => undefined);
      const key = `${row} ${version}`;
      const mask = masks.get(key) ?? currentMask(row, this.audit);
      this.masks.set(key, mask);
      mask.catch(() => this.masks.delete(key));
    }
    if (infos.length) encodeAhead(infos.map(({ row }) => row), engine).catch(() => undefined);
  }

  // Work that the server does not have yet survives a closed tab.
  keep(session) {
    return session.isDirty ? this.drafts.put(session.toDraft()) : this.drafts.remove(session.row);
  }

  // Stores what is drawn now; of several at once, each waits for the one before.
  save(session, wanted) {
    const sent = (session.saving ?? Promise.resolve()).then(() => this.send(session, wanted));
    session.saving = sent.catch(() => undefined);
    return sent;
  }

  async send(session, { status, reason = "", author, engine }) {
    if (!session.isDirty && (!status || (status === session.status && status !== "rejected"))) return;
    const stepId = session.stepId;
    const [width, height] = session.size;
    const stored = await saveMask(session.row, this.audit, {
      size_hw: [height, width],
      counts: session.raster.runs(),
      status: status ?? statusAfterEdit(session),
      reason,
      author,
      score: session.score,
      prompts: session.notes(engine),
      based_on: session.version,
    });
    session.wasSaved(stepId, { ...stored, author, reason });
    await this.keep(session);
  }
}

// Whoever corrects an accepted mask leaves it accepted; anything else still waits for a decision.
function statusAfterEdit(session) {
  return session.status === "accepted" && !session.raster.isEmpty() ? "accepted" : "proposed";
}

function newerWords({ version, author }, wasDirty) {
  const told = `${author || "Somebody"} has saved version ${version} of this mask since.`;
  return wasDirty ? `${told} What you drew is not lost: Undo brings it back.` : told;
}

async function loadedPicture(url) {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return image;
  } catch {
    // An image element does not tell why it failed, so it is asked again.
    const answer = await fetch(url).catch(() => null);
    throw new Error(answer && !answer.ok ? await answer.text() : "The photo cannot be shown.");
  }
}
