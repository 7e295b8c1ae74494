/**
 * The smart protocol by hand: pkt-lines, packs that are built byte by byte, and requests that no Git client would
 * send.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { request } from 'node:http'
import { deflateSync } from 'node:zlib'

export const ZERO = '0'.repeat(40)
export const FLUSH = Buffer.from('0000')

/** One line with its length in front. */
export function pkt(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text as string)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** Header of an object in a pack: its type, and the size that it claims. */
function objectHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size % 16)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) | 128
    bytes.push(rest % 128)
  }
  return Buffer.from(bytes)
}

/** A number in the encoding of deltas. */
export function varint(value: number): Buffer {
  const bytes = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) | 128
    bytes.push(rest % 128)
  }
  return Buffer.from(bytes)
}

const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 }
export const plain = (type: keyof typeof TYPES, body: Buffer, size = body.length): Buffer =>
  Buffer.concat([objectHead(TYPES[type], size), deflateSync(body)])
export const refDelta = (base: string, delta: Buffer): Buffer =>
  Buffer.concat([objectHead(7, delta.length), Buffer.from(base, 'hex'), deflateSync(delta)])
export const offsetDelta = (back: number, delta: Buffer): Buffer =>
  Buffer.concat([objectHead(6, delta.length), Buffer.from([back]), deflateSync(delta)])

/** A pack of objects, with a header that may claim another number of them. */
export function packOf(objects: Buffer[], claimed = objects.length, version = 2): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(version, 4)
  head.writeUInt32BE(claimed, 8)
  const body = Buffer.concat([head, ...objects])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

/** ID of an object. */
export const idOf = (type: string, body: Buffer): string =>
  createHash('sha1').update(`${type} ${body.length}\0`).update(body).digest('hex')

export interface Answer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  text: string
}

/**
 * Sends a request unchanged, and reads the whole response. The status is 0 if the connection broke before there was
 * one.
 */
export function send(
  url: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: Buffer },
): Promise<Answer> {
  return new Promise((resolve) => {
    const asked = request(url, { method: options.method ?? 'POST', headers: options.headers ?? {}, agent: false })
    asked.on('error', ({ message }) => resolve({ status: 0, headers: {}, text: message }))
    asked.on('response', (response) => {
      const pieces: Buffer[] = []
      const end = (): void =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString('latin1'),
        })
      response.on('data', (piece) => pieces.push(piece))
      response.on('end', end)
      response.on('error', end)
    })
    asked.end(options.body)
  })
}

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** The command lines of the Git processes below this one that serve a client. */
export const serving = (): string[] => servingProcesses().map(({ line }) => line)

/**
 * The Git processes below this one that serve a client: their command lines, folders, priorities, and limits (proc(5)).
 */
export function servingProcesses(): { line: string; cwd: string; nice: number; limits: string }[] {
  const all = new Map<number, { parent: number; nice: number }>()
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      // From the third field on (proc(5)): the second one may contain spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      all.set(Number(name), { parent: Number(fields[1]), nice: Number(fields[16]) })
    } catch {
      // it has just ended
    }
  }
  const below = (of: number): number[] =>
    [...all].filter(([, { parent }]) => parent === of).flatMap(([child]) => [child, ...below(child)])
  return below(process.pid).flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
      return /git\S* .*(upload-pack|pack-objects|index-pack|unpack-objects|rev-list)/.test(line)
        ? [
            {
              line,
              cwd: readlinkSync(`/proc/${pid}/cwd`),
              nice: all.get(pid)?.nice ?? 0,
              limits: readFileSync(`/proc/${pid}/limits`, 'latin1'),
            },
          ]
        : []
    } catch {
      return []
    }
  })
}
