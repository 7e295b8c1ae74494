/** Thrown if a file cannot be converted because of its content. The message is a sentence for the user who sent it. */
export class Unconvertible extends Error {
  override name = 'Unconvertible'
}
