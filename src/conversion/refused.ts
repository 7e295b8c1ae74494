/** A file cannot be converted because of what is in it. The message is a sentence for the user who sent it. */
export class Unconvertible extends Error {
  override name = 'Unconvertible'
}
