/** Sends requests to a Git server over HTTP, only to the checked addresses. */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { readFileSync } from 'node:fs'
import { isIP, type LookupFunction } from 'node:net'
import { awaitRemote, receivedFromRemote } from '../../../kernel/remote-wait.js'
import type { RemoteAddress } from '../address.js'
import { LeftToGit } from './left-to-git.js'
import type { ProtocolVersions } from './spoken-versions.js'

/** Time without data after which a connection counts as dead, in milliseconds. */
const SILENCE_MS = 60_000
const OK = 200

/** The address of a Git server, and the settings for the connection. */
export interface HttpPlace {
  address: Pick<RemoteAddress, 'url' | 'protocol' | 'host' | 'port' | 'path'>
  /** The allowed IP addresses. */
  addresses: readonly string[]
  credential: { username: string; password: string } | null
  /** PEM bundle of certificate authorities that replaces those of Node. */
  caFile?: string | undefined
  /** Remembered protocol versions of remotes. */
  protocolVersions: ProtocolVersions
  /** Ends all requests. */
  signal: AbortSignal
}

interface Sent {
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  body?: Buffer
}

/**
 * A session with one Git server, whose requests share a connection. It follows no redirects, uses no proxy, and accepts
 * only typical responses of a Git server. For any other response, methods throw `LeftToGit`.
 */
export class SmartHttp {
  readonly #agent: HttpAgent | HttpsAgent
  readonly #headers: Readonly<Record<string, string>>

  /** Throws `LeftToGit` if the file of certificate authorities cannot be read. */
  constructor(readonly place: HttpPlace) {
    const { address, credential, caFile } = place
    const options = { keepAlive: true, maxSockets: 1, lookup: pinnedTo(place.addresses) }
    const secure = { ...options, ...(caFile === undefined ? {} : { ca: certificatesIn(caFile) }) }
    this.#agent = address.protocol === 'https' ? new HttpsAgent(secure) : new HttpAgent(options)
    const basic = credential && Buffer.from(`${credential.username}:${credential.password}`).toString('base64')
    this.#headers = {
      'user-agent': 'git/bindery',
      'git-protocol': 'version=2',
      ...(basic === null ? {} : { authorization: `Basic ${basic}` }),
    }
  }

  /** Returns the capabilities of the server, as it advertises them for `git-upload-pack`. */
  advertisement(): Promise<AsyncIterable<Buffer>> {
    const type = 'application/x-git-upload-pack-advertisement'
    return this.#send({ method: 'GET', path: 'info/refs?service=git-upload-pack', headers: { accept: '*/*' } }, type)
  }

  /** Returns the response to a protocol command. */
  command(body: Buffer): Promise<AsyncIterable<Buffer>> {
    const accept = 'application/x-git-upload-pack-result'
    const headers = {
      accept,
      'content-type': 'application/x-git-upload-pack-request',
      'content-length': String(body.length),
    }
    return this.#send({ method: 'POST', path: 'git-upload-pack', headers, body }, accept)
  }

  /** Ends the connection. */
  close(): void {
    this.#agent.destroy()
  }

  #send({ method, path, headers, body }: Sent, type: string): Promise<AsyncIterable<Buffer>> {
    const { address, signal } = this.place
    const send = address.protocol === 'https' ? httpsRequest : httpRequest
    const base = address.path.endsWith('/') ? address.path : `${address.path}/`
    const options = {
      method,
      host: address.host,
      port: address.port,
      path: base + path,
      headers: { ...this.#headers, ...headers },
      signal,
      agent: this.#agent,
    }
    return awaitRemote(
      () =>
        new Promise((resolve, reject) => {
          const sent = send(options, (response) => {
            if (response.statusCode === OK && response.headers['content-type'] === type)
              return resolve(bodyOf(response))
            response.destroy()
            reject(new LeftToGit(`the remote responded with status ${response.statusCode}`))
          })
          sent.setTimeout(SILENCE_MS, () => sent.destroy(new Error('the remote was silent')))
          sent.on('error', (cause) => reject(new LeftToGit('the request to the remote failed', { cause })))
          sent.end(body)
        }),
    )
  }
}

function certificatesIn(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new LeftToGit(`cannot read ${file}`, { cause })
  }
}

/** Yields the bytes of a response. Stopping the iteration ends the response. */
async function* bodyOf(response: IncomingMessage): AsyncGenerator<Buffer, void> {
  const pieces: AsyncIterator<Buffer, undefined> = response.iterator()
  try {
    for (;;) {
      const piece = await awaitRemote(() => pieces.next())
      if (piece.done) return
      receivedFromRemote(piece.value.length)
      yield piece.value
    }
  } catch (cause) {
    throw new LeftToGit('the response was interrupted', { cause })
  } finally {
    await pieces.return?.()
  }
}

/** Returns a lookup function that resolves every host name to the checked addresses, no matter what DNS returns now. */
const pinnedTo =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, done) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = all
    if (options.all) done(null, all)
    else done(first ? null : new Error('no address'), first?.address ?? '', first?.family ?? 0)
  }
