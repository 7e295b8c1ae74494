/** Reads the body of a response from another server, decompressed and with a size limit. */
import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { receivedFromRemote } from '../kernel/remote-wait.js'
import { OutboundError } from './errors.js'

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Returns the decoder for an encoding. Requests ask for no compression, but some servers compress anyway. */
function decoderOf(encoding: string, host: string) {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return null
  const make = Object.hasOwn(decoders, name) ? decoders[name] : undefined
  if (!make)
    throw new OutboundError(
      'bad-response',
      `${host} responded in an encoding that is not supported: ${name.slice(0, 40)}.`,
    )
  return make()
}

/**
 * Reads a body to its end, decompressed. Stops if there are more than `maxBytes`: with `cut` it returns that many, else
 * it throws `OutboundError` (`too-large`).
 * @param into receives the chunks one after the other; nothing is then returned, and a longer body is always an error
 */
export async function readBody(
  body: Readable,
  encoding: string,
  limit: { maxBytes: number; cut: boolean; host: string },
  into?: (chunk: Uint8Array) => Promise<void>,
): Promise<Buffer> {
  const decoder = decoderOf(encoding, limit.host)
  if (decoder) body.on('error', (error) => decoder.destroy(error))
  const source: AsyncIterable<Buffer> = decoder ? body.pipe(decoder) : body
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of source) {
      bytes += chunk.length
      receivedFromRemote(chunk.length)
      if (bytes > limit.maxBytes && (!limit.cut || into))
        throw new OutboundError('too-large', `The response of ${limit.host} has more than ${limit.maxBytes} bytes.`)
      if (into) await into(chunk)
      else chunks.push(chunk)
      if (bytes > limit.maxBytes) break
    }
  } finally {
    decoder?.destroy()
    body.destroy()
  }
  return Buffer.concat(chunks).subarray(0, limit.maxBytes)
}
