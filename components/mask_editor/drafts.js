// Unsaved work, kept in the browser until the server has it: a closed tab loses nothing.

const DRAFTS = "cfr mask drafts";
const STORE = "drafts";

class Drafts {
  // workspace: what tells drafts of one folder from those of another.
  constructor(workspace) {
    this.workspace = workspace;
    this.writing = Promise.resolve();
    this.latest = new Map(); // row -> draft that is not written yet
  }

  key(row) {
    return `${this.workspace}/${row}`;
  }

  get(row) {
    return this.asked("readonly", (store) => store.get(this.key(row))).catch(() => undefined);
  }

  put(draft) {
    return this.later(draft.row, draft);
  }

  remove(row) {
    return this.later(row, null);
  }

  // One after the other; of several drafts of a row that wait, only the last is written.
  later(row, draft) {
    this.latest.set(row, draft);
    this.writing = this.writing.then(async () => {
      if (!this.latest.has(row)) return;
      const last = this.latest.get(row);
      this.latest.delete(row);
      const write = (store) => (last ? store.put(last, this.key(row)) : store.delete(this.key(row)));
      // In a private window there may be no store: then there is no draft, and saving still works.
      await this.asked("readwrite", write).catch(() => undefined);
    });
    return this.writing;
  }

  async asked(mode, ask) {
    const store = await this.opened();
    return new Promise((resolve, reject) => {
      const transaction = store.transaction(STORE, mode);
      const request = ask(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  }

  opened() {
    this.database ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(DRAFTS, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return this.database;
  }
}
