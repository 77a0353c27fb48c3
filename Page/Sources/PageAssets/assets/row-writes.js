// What is done with the value of a row: it is checked, stored, taken out of the file, and brought back.

import { inTurn, Refusal } from "./api.js";
import { asks, latest, shortPath } from "./dom.js";
import { edit, isStored, model, nodeOf, shownOf, shownWithin, takeBack, titleOf, tryOut } from "./model.js";
import { memberNode, partsOf } from "./toml.js";
import { same } from "./typed.js";

export class RowWrites {
  #check = latest();
  #timer = 0;
  /** How many wait or are under way. */
  #left = 0;
  #last = null;
  #isLastStored = true;

  constructor(row) {
    this.row = row;
  }

  get areUnderWay() {
    return this.#left > 0;
  }

  /** Has no answer count any more to what was asked about a text that is no longer there. */
  dropCheck() {
    clearTimeout(this.#timer);
    return this.#check();
  }

  /** Asks the command, a moment after the last key press, whether it would accept what is typed. */
  checkSoon(path, change, { field, isEmptied } = {}) {
    const isLast = this.dropCheck();
    if (this.row.key.isSecret) return;
    this.#timer = setTimeout(async () => {
      const refusal = await tryOut(path, change).then(() => null, (error) => error);
      if (!isLast()) return;
      if (!refusal) this.row.say("");
      else if (isEmptied) this.row.say("Nothing is typed. Enter takes the value out of the file.", "hint");
      else this.row.fail(refusal, field);
    }, 120);
  }

  /**
   * Stores a value in the `file` that it is meant for, if it is still what it was when the person saw it:
   * `isAsShown({ value, own, node })` says whether it is, and `changed()` what the person is told otherwise. What `follows` from
   * the write before it, such as a list, is not stored if that one was refused. `field` is where it was typed.
   */
  store(path, change, options) {
    return this.run(() => edit({ set: path, ...change }), { ...options, path });
  }

  unset(path, options) {
    return this.run(() => edit({ unset: path }), { ...options, path });
  }

  /** Takes out what is shown at a path, which another may have changed meanwhile. */
  remove(path) {
    return this.unset(path, this.#asSeen());
  }

  async reset() {
    const { key } = this.row;
    if (!isStored(key)) return undefined;
    const path = partsOf(key.key);
    if (!key.isSecret) return this.remove(path);
    const { digest } = model.doc;
    if (!await asks(`Reset '${titleOf(key)}'?`, "The history does not keep secrets, so nothing brings it back.", "Keep it", ["Reset it", () => true])) return undefined;
    // The answer was about the secret of that time, and nobody sees whether it is another one now.
    return this.unset(path, { isAsShown: () => model.doc.digest === digest, tries: 1 });
  }

  /** Takes the last change back, or makes it again ("redo"). */
  undo(verb = "undo") {
    return this.run(() => takeBack(verb, this.row.name), this.#asSeen());
  }

  /** Nobody sees whether a secret has changed. */
  #asSeen() {
    let seen = null;
    const isAsShown = ({ value = null, own = null }) => same((seen ??= [value, own]), [value, own]);
    return { isAsShown, tries: this.row.key?.isSecret ? 1 : 20 };
  }

  /** What the file has at a path, which may be nothing any more. */
  #present(path = []) {
    const { key } = this.row;
    if (!key) return { value: undefined, node: null };
    const inner = path.slice(partsOf(key.key).length);
    return { ...inner.reduce(shownWithin, shownOf(key)), node: inner.reduce(memberNode, nodeOf(key)) };
  }

  /** Makes a write in its turn. Returns whether it was made, as soon as none is left and the control shows what has become of all. */
  async run(write, { path, file = model.doc.file, isAsShown = () => true, tries = 20, follows = false, ...options } = {}) {
    const waits = this.areUnderWay;
    this.#left += 1;
    const made = this.#attempt(async () => {
      if (follows && waits && !this.#isLastStored) return false;
      this.#isLastStored = false;
      try {
        await this.#writeAsShown(write, file, () => isAsShown(this.#present(path)), tries);
      } catch (error) {
        this.#isLastStored = Boolean(error.isStored);
        throw error;
      }
      return (this.#isLastStored = true);
    }, options);
    this.#last = made.catch(() => {}).then(() => {
      this.#left -= 1;
      if (!this.areUnderWay) this.row.settled();
    });
    while (this.areUnderWay) await this.#last;
    return made;
  }

  async #writeAsShown(write, file, isAsShown, tries) {
    const refuse = (why) => { throw new Refusal(412, `${why}, so nothing was stored.`); };
    for (let left = tries - 1; ; left -= 1) {
      if (model.doc.file !== file) refuse(`You edit ${shortPath(model.doc.file)} now`);
      if (!isAsShown()) refuse("It was changed meanwhile");
      const { digest } = model.doc;
      try {
        return await write();
      } catch (error) {
        // The document was read again, and what has changed may be another value, or it is another file.
        const isOther = model.doc.digest !== digest || model.doc.file !== file;
        if (!(error instanceof Refusal) || error.http !== 412 || left === 0 || !isOther) throw error;
      }
    }
  }

  /** Says what becomes of a write. Of one that was not tried nothing is said. */
  async #attempt(write, { field, changed }) {
    const { row } = this;
    this.dropCheck();
    row.element.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => row.say("Storing…", "hint"), 400);
    try {
      const isMade = await inTurn(write);
      if (isMade) row.say("");
      return isMade;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      row.fail(error, field);
      if (error.http === 412) changed?.();
      return Boolean(error.isStored);
    } finally {
      clearTimeout(slow);
    }
  }
}
