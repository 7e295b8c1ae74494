/** How an import, or one thing in it, fails. */

/** The whole import cannot succeed. The message tells the user what is wrong with the URL and what to do: a 400. */
export class ImportRefused extends Error {
  override name = 'ImportRefused'
}

/** One resource cannot be read. The message is a sentence for the list of failures. */
export class ResourceFailure extends Error {
  override name = 'ResourceFailure'
}

/** The import was interrupted, since the service stops: it is taken up again after the next start. */
export class Interrupted extends Error {
  override name = 'Interrupted'
}
