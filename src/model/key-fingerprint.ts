/** The fingerprint of the signing key, with which the documents of this installation were sealed. Nodes keep it in their database (`shared-files/`). */
import { table } from '../kernel/documents.js'

export interface KeyFingerprintDoc {
  /** Absent = the operator gave the key up: the next start may name, or make, another one. */
  fingerprint?: string
}

export const SIGNING_KEY = 'signing'

export const keyFingerprints = table<KeyFingerprintDoc>()({ name: 'key-fingerprints', indexes: {} })
