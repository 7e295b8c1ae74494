/** The provenance of a page: the commit that changed its file last, the signature of that commit, and a signed statement. */
import { createHash } from 'node:crypto'
import { deriveProvenanceKey, type ProvenanceKey, signStatement } from '../../auth/index.js'
import { readBounded } from '../../content/read-file.js'
import { MAX_TEXT_BYTES } from '../../content/text.js'
import { defined } from '../../kernel/defined.js'
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import { GitError, type CommitInfo } from '../../git/index.js'
import type { CommitSignature, Provenance, ProvenanceStatement } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LastChange } from '../context/content-cache.js'
import type { LoadedSpace } from '../context/loaded.js'
import { lastChangeOf } from '../revisions/last-change.js'
import { servedAt } from './addresses.js'
import { findAllowedSigners } from './allowed-signers.js'
import { parseSigners } from './signer-list.js'
import { isConditional, type PageText, readPageText } from './visitor-page.js'
import type { ReadPage } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** The address of the public keys, below the host name of a site. */
export const PROVENANCE_KEYS = '/.well-known/bindery-provenance.json'

/** The keys by the signing key that they are derived from. A process has one, and tests have several. */
const derived = new WeakMap<Buffer, ProvenanceKey>()

/** Returns the key of the service that signs statements. */
export function provenanceKey({ settings: { signingKey } }: Pick<App, 'settings'>): ProvenanceKey {
  const known = derived.get(signingKey) ?? deriveProvenanceKey(signingKey)
  derived.set(signingKey, known)
  return known
}

/**
 * Whether a page has a statement about its file. It has none if it is generated or hides its history. It also has none if
 * it has conditional blocks: the digest of the file would let a reader confirm a guess about a block that they do not see.
 */
export const hasProvenance = ({ gitPath, attributes, markdown }: PageText): boolean =>
  gitPath !== undefined && attributes.layout?.metadata !== false && !isConditional(markdown)

/** The formats of signatures that are checked, by their first line. */
const FORMATS = [
  { name: 'ssh', start: '-----BEGIN SSH SIGNATURE-----' },
  { name: 'openpgp', start: '-----BEGIN PGP ' },
] as const
/** A list without this text has no GPG key. */
const PGP_KEY = 'BEGIN PGP PUBLIC KEY'

type Repository = Pick<LoadedSpace, 'doc' | 'repo'>

/** A signature to check: the key of its result, and the check. A text is the state of a signature that needs no check. */
type SignatureOrder = { key: string; check: () => Promise<CommitSignature> } | CommitSignature

async function orderFor(app: App, { doc, repo }: Repository, commit: CommitInfo): Promise<SignatureOrder> {
  const signature = commit.headers.gpgsig ?? commit.headers['gpgsig-sha256']
  if (signature === undefined) return { state: 'unsigned' }
  const signers = (await findAllowedSigners(app.store, doc.organization))?.signers ?? ''
  const format = FORMATS.find(({ start }) => signature.startsWith(start))
  if (!format || (format.name === 'openpgp' && !signers.includes(PGP_KEY))) return { state: 'not-checked' }
  const digest = createHash('sha256').update(signers).digest('base64url')
  return {
    key: `${doc.id}:${commit.id}:${digest}`,
    check: async () => {
      const { keys, ssh, keyring } = parseSigners(signers)
      const allowed = format.name === 'ssh' ? { format: 'ssh' as const, ssh } : { format: 'openpgp' as const, keyring }
      const found = await repo.history.checkSignature(commit.id, allowed)
      if (found.state !== 'valid') return found
      const addresses = keys.flatMap((one) => (one.fingerprint === found.key ? one.addresses : []))
      const signer = (['author', 'committer'] as const).find((one) =>
        addresses.includes(commit[one].email.toLowerCase()),
      )
      return { state: signer ? 'valid' : 'other-signer', key: found.key, ...defined({ signer }) }
    },
  }
}

/**
 * Returns the signature of a commit as far as it is known, without waiting. Null while it is being checked; a cached page
 * is then made again.
 */
export async function shownSignature(
  app: App,
  space: Repository,
  { authored }: LastChange,
): Promise<CommitSignature | null> {
  const order = await orderFor(app, space, await space.repo.objects.commit(authored))
  if ('state' in order) return order
  const known = app.signatures.known(order.key)
  if (!known) app.signatures.request(order.key, order.check)
  return known
}

/** Returns the signature of a commit. Throws 503 if it cannot be checked now. */
async function checkedSignature(app: App, space: Repository, commit: CommitInfo): Promise<CommitSignature> {
  const order = await orderFor(app, space, commit)
  if ('state' in order) return order
  return app.signatures.check(order.key, order.check).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error
    throw new ServiceError('unavailable', 'The signature of the commit could not be checked. Try again in a moment.', {
      headers: { 'Retry-After': '10' },
      cause: error,
    })
  })
}

/** The page of a statement, and its addresses. */
export interface ProvenanceOrder {
  visitor: Visitor
  page: ReadPage
  /** The address of the site that readers use, without a trailing slash. */
  address: string
  /** Returns the commit of the connected repository with the same content; null if there is none. */
  connectedCommit: (space: LoadedSpace, commit: CommitId) => Promise<CommitId | null>
}

/**
 * Returns the signed statement about a page that the visitor may read. Null if the page has none, or is too large to be
 * shown.
 */
export async function provenanceOf(app: App, order: ProvenanceOrder): Promise<Provenance | null> {
  const statement = await statementOf(app, order)
  return statement && { statement, jws: await signStatement(provenanceKey(app), statement) }
}

async function statementOf(
  app: App,
  { visitor, page, address, connectedCommit }: ProvenanceOrder,
): Promise<ProvenanceStatement | null> {
  const text = await readPageText(app, page)
  const { gitPath } = text
  if (gitPath === undefined || !hasProvenance(text)) return null
  const { space, snapshot } = page.pages.revision
  const entry = await snapshot.entry(gitPath)
  const change = await lastChangeOf(app, space, snapshot.commit, gitPath)
  if (!entry || !change) return null
  const id = await commitWith(space, change, gitPath, entry.oid)
  const commit = await space.repo.objects.commit(id)
  const bytes = await readBounded(snapshot, entry.oid, MAX_TEXT_BYTES)
  if (bytes === null) return null
  const connected = await connectedCommit(space, change.commit)
  const directory = space.doc.git?.directory ?? ''
  const path = directory === '' ? gitPath : `${directory}/${gitPath}`
  const { doc: site } = visitor.site
  return {
    version: 1,
    keys: new URL(PROVENANCE_KEYS, servedAt(visitor.view.address)).href,
    site: { id: site.id, address },
    page: { id: page.entry.id, title: page.entry.title, address: address + page.path },
    file: {
      path: gitPath,
      blob: entry.oid,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
    },
    commit: {
      id,
      author: personOf(commit.author),
      committer: personOf(commit.committer),
      signature: await checkedSignature(app, space, commit),
    },
    revision: change.commit,
    ...(connected !== null && (connected !== id || path !== gitPath) ? { connected: { commit: connected, path } } : {}),
  }
}

const personOf = ({ name, seconds }: CommitInfo['author']) => ({ name, date: new Date(seconds * 1000).toISOString() })

/** Returns the commit of the author if it contains the file as it is now. A merge may have changed it once more. */
async function commitWith(
  { repo }: Repository,
  { authored, commit }: LastChange,
  path: string,
  blob: string,
): Promise<CommitId> {
  const found = await (await repo.objects.snapshot(authored)).entry(path)
  return found?.oid === blob ? authored : commit
}
