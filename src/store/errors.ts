/** The document was replaced after it was read. Read it again and retry. */
export class StaleDocument extends Error {
  constructor(
    readonly table: string,
    readonly id: string,
    /** The version of the replacement document. */
    readonly given: number,
    /** The stored version. */
    readonly stored: number,
  ) {
    super(`${table} ${JSON.stringify(id)} has version ${stored}, not ${given}`)
    this.name = 'StaleDocument'
  }
}

/** Another document has this ID, or this key in a unique index. */
export class DuplicateKey extends Error {
  constructor(
    readonly table: string,
    /** The unique index, or `id`. */
    readonly index: string,
    readonly key: string,
  ) {
    super(`${table} already has a document with ${index} ${JSON.stringify(key)}`)
    this.name = 'DuplicateKey'
  }
}

/** There is no document with this ID. */
export class NoDocument extends Error {
  constructor(
    readonly table: string,
    readonly id: string,
  ) {
    super(`${table} has no document ${JSON.stringify(id)}`)
    this.name = 'NoDocument'
  }
}

/** A file of the store is damaged. Data that it may contain is neither read nor written. */
export class StoreDamaged extends Error {
  constructor(
    readonly file: string,
    /** The start of the damage, in bytes from the start of the file. */
    readonly offset: number,
    readonly what: string,
    /** The advice for the operator. */
    readonly advice: string = 'restore the whole folder of the store from a backup; nothing has been changed',
    options?: ErrorOptions,
  ) {
    super(`${file} is damaged at byte ${offset}: ${what}. What to do: ${advice}.`, options)
    this.name = 'StoreDamaged'
  }

  /** Returns the error of damage that concerns only one table, which can be repaired. */
  asRepairable(): StoreDamaged {
    const advice =
      'stop the server and run `bindery fsck --repair`, which keeps everything that is readable, or restore the data folder from a backup; nothing has been changed'
    return new StoreDamaged(this.file, this.offset, this.what, advice, { cause: this.cause })
  }
}

/** The log has reached its maximum size, and a damaged file keeps it from being shortened. The store accepts no changes. */
export class LogFull extends Error {
  constructor(
    readonly damage: StoreDamaged,
    /** The size of the log in bytes. */
    readonly bytes: number,
  ) {
    super(
      `The log of the documents has ${bytes} bytes and cannot be shortened, so no changes are accepted. ${damage.message}`,
    )
    this.name = 'LogFull'
  }
}

/** Returns a handler that replaces the error of a damaged file by a value, and throws every other error. */
export const orIfDamaged =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof StoreDamaged) return value
    throw error
  }

/** The folder was written by a newer release. */
export class StoreTooNew extends Error {
  constructor(
    readonly file: string,
    what: string,
  ) {
    super(`${file}: ${what}. Start the release that wrote it, or a newer one.`)
    this.name = 'StoreTooNew'
  }
}

/** The store is closed or closing. */
export class StoreClosed extends Error {
  constructor() {
    super('the store is closed')
    this.name = 'StoreClosed'
  }
}
