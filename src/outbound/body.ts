import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { OutboundError } from './errors.js'

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** An identity is asked for, but some servers compress whatever they are asked. */
function decoderOf(encoding: string, host: string) {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return null
  const make = Object.hasOwn(decoders, name) ? decoders[name] : undefined
  if (!make) throw new OutboundError('bad-answer', `${host} answered in an encoding that was not asked for: ${name.slice(0, 40)}.`)
  return make()
}

/**
 * Reads a body to its end, decompressed, and stops as soon as it has more than `maxBytes`: then it is refused with
 * `too-large`, or with `cut` answered so far.
 */
export async function readBody(body: Readable, encoding: string, limit: { maxBytes: number; cut: boolean; host: string }): Promise<Buffer> {
  const decoder = decoderOf(encoding, limit.host)
  if (decoder) body.on('error', (error) => decoder.destroy(error))
  const source: AsyncIterable<Buffer> = decoder ? body.pipe(decoder) : body
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > limit.maxBytes && !limit.cut) throw new OutboundError('too-large', `What ${limit.host} sent has more than ${limit.maxBytes} bytes.`)
      chunks.push(chunk)
      if (bytes > limit.maxBytes) break
    }
  } finally {
    decoder?.destroy()
    body.destroy()
  }
  return Buffer.concat(chunks).subarray(0, limit.maxBytes)
}
