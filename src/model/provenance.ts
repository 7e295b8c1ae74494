/** The provenance of pages: the signed statement about a page, and the signers that an organization allows. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, nullable, Timestamp } from './common.js'

/** Maximum length of a list of allowed signers, in characters. */
const MAX_SIGNERS = 131_072

/** The list of allowed signers of an organization, as stored. The ID is that of the organization. */
export interface AllowedSignersDoc {
  id: string
  /** Lines in the format of `gpg.ssh.allowedSignersFile`, and blocks of GPG public keys. */
  signers: string
  updatedAt: string
}

export const allowedSigners = table<AllowedSignersDoc>()({
  name: 'allowed-signers',
  indexes: {},
  owner: (one) => one.id,
})

export const AllowedSigners = Type.Object(
  {
    object: Type.Literal('allowed-signers'),
    signers: Type.String({ description: 'The list as it was set; empty if there is none.' }),
    count: Type.Integer({ minimum: 0, description: 'Number of keys.' }),
    updatedAt: nullable(Timestamp),
  },
  { $id: 'AllowedSigners' },
)

export const UpdateAllowedSigners = Type.Object(
  {
    signers: Type.String({
      maxLength: MAX_SIGNERS,
      description:
        'One key per line: addresses, separated by commas; optionally `namespaces="git"`, `valid-after="…"` and `valid-before="…"`; the type of the key; the key; a comment. ' +
        'Or a line with only the addresses, and below it the block of a GPG public key. Empty lines and lines that start with `#` are ignored.',
    }),
  },
  { ...closed, $id: 'UpdateAllowedSigners' },
)
export type UpdateAllowedSigners = Static<typeof UpdateAllowedSigners>

/**
 * The state of a commit's signature. `valid`: an allowed signer signed it, who is its author or committer.
 * `other-signer`: another allowed signer signed it. `unknown-key`: no allowed signer has the key. `invalid`: the
 * signature does not fit the commit. `not-checked`: its format is not checked (X.509), or the list has no GPG key.
 */
export type SignatureState = 'valid' | 'other-signer' | 'unknown-key' | 'invalid' | 'unsigned' | 'not-checked'

/** The signature of a commit, as the service found it. */
export interface CommitSignature {
  state: SignatureState
  /** The fingerprint of the key that fits the signature. */
  key?: string
  /** The person whose address the list of allowed signers has for the key. */
  signer?: 'author' | 'committer'
}

/** A statement about the file of a page. It contains no e-mail addresses. */
export interface ProvenanceStatement {
  version: 1
  /** The address of the public keys. */
  keys: string
  site: { id: string; address: string }
  page: { id: string; title: string; address: string }
  file: { path: string; blob: string; sha256: string; bytes: number }
  commit: {
    id: string
    author: { name: string; date: string }
    committer: { name: string; date: string }
    signature: CommitSignature
  }
  /** The revision of main that contains the change: the commit itself, or the merge of its change request. */
  revision: string
  /** The commit and the path in the connected repository, if they differ. */
  connected?: { commit: string; path: string }
}

/** The document that a site serves for a page. */
export interface Provenance {
  statement: ProvenanceStatement
  /** The statement as a signed compact JWS. */
  jws: string
}
