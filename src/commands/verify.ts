/** `bindery verify`: verifies a signed statement about a page, and compares it with a clone of the repository. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { isIP } from 'node:net'
import { verifyStatement } from '../auth/index.js'
import { type FileAtCommit, fileAtCommit, GitError } from '../git/index.js'
import { isOid } from '../kernel/ids.js'
import { isRecord } from '../kernel/guards.js'
import type { ProvenanceStatement } from '../model/index.js'
import type { Outcome } from '../start/operator/declaration.js'
import { OperatorError } from './maintenance.js'

/** Maximum size of a statement and of a set of keys, in bytes. */
const MAX_BYTES = 256 * 1024
const FETCH_MS = 15_000

interface VerifyOptions {
  clone: string
  /** A file or address with the public keys. Absent: the address in the statement. */
  keys?: string | undefined
}

/** Verifies the statement in a file. Throws `OperatorError` if it, the keys or the clone cannot be read. */
export async function verify(file: string, { clone, keys: given }: VerifyOptions): Promise<Outcome> {
  const document = parsed(await readSmall(file), file)
  const jws = isRecord(document) && typeof document.jws === 'string' ? document.jws : null
  if (jws === null || !isRecord(document)) throw new OperatorError(`${file} is not the provenance of a page.`)
  const source = given ?? claimedKeys(document.statement)
  const verified = await verifyStatement(jws, keySet(parsed(await readKeys(source), source), source))
  if ('fault' in verified) return outcome(source, [`The statement is not valid: ${verified.fault}`], null)
  const { statement } = verified
  if (!isStatement(statement)) throw new OperatorError(`${file} has a statement that this version does not support.`)
  const problems = given === undefined ? foreignKeys(source, statement) : []
  if (JSON.stringify(document.statement) !== JSON.stringify(verified.statement))
    problems.push('The readable statement in the file differs from the signed one. Do not trust it.')
  return outcome(source, [...problems, ...(await compare(clone, statement))], statement)
}

/** Returns the address of the keys in a statement. It is never a file, because the author of a forged statement could name any. */
function claimedKeys(statement: unknown): string {
  const claimed = isRecord(statement) ? statement.keys : undefined
  if (typeof claimed === 'string' && /^https?:\/\//i.test(claimed) && URL.canParse(claimed)) return claimed
  throw new OperatorError('The statement does not name the address of its keys. Name them with --keys.')
}

/** A forger can sign a statement with other keys, so the keys must be at the host of the page. */
function foreignKeys(source: string, { page }: ProvenanceStatement): string[] {
  const host = URL.canParse(page.address) ? new URL(page.address).host : ''
  if (new URL(source).host === host) return []
  return [
    `The statement is about ${page.address}, but names keys at ${source}. If you trust them, name them with --keys.`,
  ]
}

/** Compares the statement with a clone of the space, or of the connected repository. Returns the differences. */
async function compare(clone: string, { file, commit, connected }: ProvenanceStatement): Promise<string[]> {
  let found = await read(clone, commit.id, file.path)
  let at = { commit: commit.id, path: file.path }
  if (found === 'no-commit' && connected) {
    at = connected
    found = await read(clone, at.commit, at.path)
  }
  if (found === 'no-commit') return [`The clone does not have the commit ${at.commit}. Fetch it, then try again.`]
  if (found === 'no-file') return [`The commit ${at.commit} has no file ${at.path}.`]
  if (found.blob !== file.blob)
    return [`The commit ${at.commit} has ${found.blob} at ${at.path}, and not ${file.blob}.`]
  const digest = createHash('sha256').update(found.bytes).digest('hex')
  return digest === file.sha256 ? [] : [`The file ${at.path} has the SHA-256 digest ${digest}, and not ${file.sha256}.`]
}

async function read(clone: string, commit: string, path: string): Promise<FileAtCommit> {
  if (!isOid(commit)) return 'no-commit'
  try {
    return await fileAtCommit(clone, commit, path)
  } catch (error) {
    throw error instanceof GitError ? new OperatorError(`${error.message}.`, { cause: error }) : error
  }
}

function outcome(keys: string, problems: readonly string[], statement: ProvenanceStatement | null): Outcome {
  const json = { valid: problems.length === 0, keys, problems, ...(statement && { statement }) }
  if (!statement || problems.length > 0) return { text: problems.map(printable).join('\n'), json, problems: true }
  const { page, file, commit } = statement
  const text = [
    `Verified: ${page.address}`,
    `Signed by the keys at ${keys}`,
    `The commit ${commit.id} has the blob ${file.blob} at ${file.path}.`,
    `Author ${commit.author.name}, ${commit.author.date}. Signature of the commit, as the server checked it: ${commit.signature.state}.`,
  ]
  return { text: text.map(printable).join('\n'), json }
}

/** A name or path of a stranger must not control the terminal, or look like another line. */
const printable = (line: string): string => line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')

/** Whether the members of a statement that are compared have the right types. */
function isStatement(value: unknown): value is ProvenanceStatement {
  const has = (of: unknown, ...names: string[]): boolean =>
    isRecord(of) && names.every((name) => typeof of[name] === 'string')
  if (!isRecord(value) || value.version !== 1) return false
  const { file, commit, page, connected } = value
  return (
    has(file, 'path', 'blob', 'sha256') &&
    has(page, 'address') &&
    has(commit, 'id') &&
    isRecord(commit) &&
    has(commit.author, 'name', 'date') &&
    has(commit.signature, 'state') &&
    (connected === undefined || has(connected, 'commit', 'path'))
  )
}

function keySet(value: unknown, source: string): { keys: object[] } {
  if (!isRecord(value) || !Array.isArray(value.keys) || !value.keys.every(isRecord))
    throw new OperatorError(`${source} is not a set of public keys (JWK set).`)
  return { keys: value.keys }
}

function parsed(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new OperatorError(`${source} is not JSON.`)
  }
}

async function readSmall(file: string): Promise<string> {
  const handle = await open(file).catch((error: Error) => {
    throw new OperatorError(`${file} cannot be read: ${error.message}.`, { cause: error })
  })
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0)
    if (bytesRead > MAX_BYTES) throw new OperatorError(`${file} is larger than ${MAX_BYTES} bytes.`)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Reads the keys from a file, or from an address with https. An address of this machine may have http. */
async function readKeys(source: string): Promise<string> {
  if (!/^https?:\/\//i.test(source)) return readSmall(source)
  const { protocol, hostname } = new URL(source)
  const isHere =
    hostname === 'localhost' || (isIP(hostname) === 4 && hostname.startsWith('127.')) || hostname === '[::1]'
  if (protocol !== 'https:' && !isHere)
    throw new OperatorError(
      `The keys at ${source} could be replaced on the way. Use https, or name a file with --keys.`,
    )
  try {
    const response = await fetch(source, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) })
    if (response.status !== 200) throw new Error(`status ${response.status}`)
    const chunks: Uint8Array[] = []
    let size = 0
    const reader = response.body?.getReader()
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      size += part.value.length
      if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`)
      chunks.push(part.value)
    }
    return Buffer.concat(chunks).toString()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`The keys cannot be read from ${source}: ${reason}. Name a file with --keys.`, {
      cause: error,
    })
  }
}
