/** Errors of an import, or of one resource in it. */

/** The whole import cannot succeed (400). The message tells the user what is wrong with the URL and what to do. */
export class ImportRefused extends Error {
  override name = 'ImportRefused'
}

/** One resource cannot be read. The message is a sentence for the list of failures. */
export class ResourceFailure extends Error {
  override name = 'ResourceFailure'
}

/** The service stops during the import, which continues after the next start. */
export class Interrupted extends Error {
  override name = 'Interrupted'
}
