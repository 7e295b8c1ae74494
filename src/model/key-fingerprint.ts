/**
 * The fingerprint of the signing key that sealed the documents of this installation. Nodes keep it in their database
 * (`shared-files/`).
 */
import { table } from '../kernel/documents.js'

export interface KeyFingerprintDoc {
  /** Absent = the operator discarded the key. The next start may use or generate another one. */
  fingerprint?: string
}

export const SIGNING_KEY = 'signing'

export const keyFingerprints = table<KeyFingerprintDoc>()({ name: 'key-fingerprints', indexes: {} })
