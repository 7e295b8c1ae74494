/** The format in which a task returns facts and files together: a line of JSON, then the bytes of the files. */

/** A file that a task returns, with its metadata. */
export interface ContainerPart {
  /** A path within the archive, or the name that the page's text uses for the file. */
  name: string
  content: Uint8Array
}

/** Encodes facts and files. */
export function pack(facts: object, parts: readonly ContainerPart[] = []): Uint8Array {
  const head = Buffer.from(
    `${JSON.stringify({ facts, parts: parts.map(({ name, content }) => ({ name, bytes: content.length })) })}\n`,
  )
  return Buffer.concat([head, ...parts.map(({ content }) => content)])
}

/** Decodes the result of `pack`. The files share the memory of `bytes`. */
export function unpackParts<F>(bytes: Uint8Array): { facts: F; parts: ContainerPart[] } {
  const end = bytes.indexOf(10)
  const { facts, parts } = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()) as {
    facts: F
    parts: { name: string; bytes: number }[]
  }
  let at = end + 1
  return {
    facts,
    parts: parts.map(({ name, bytes: length }) => ({ name, content: bytes.subarray(at, (at += length)) })),
  }
}
