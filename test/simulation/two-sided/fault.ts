export type FaultKind =
  | 'line missing'
  | 'line back'
  | 'page missing'
  | 'page back'
  | 'place'
  | 'title'
  | 'line ends'
  | 'twice'
  | 'identity'
  | 'needless conflict'
  | 'not in step'
  | 'bytes'
  | 'response'
  | 'run'
  | 'stuck'
  | 'preview'
  | 'undone there'
  | 'fsck'
  | 'nodes differ'

/** A violated expectation. A shrunk story must fail with the same `kind`. */
export class Fault extends Error {
  constructor(
    readonly kind: FaultKind,
    message: string,
  ) {
    super(`${kind}: ${message}`)
  }
}
