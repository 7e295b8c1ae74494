/** The thread that reads one specification, and asks the service for the files to which it refers. */
import { parentPort } from 'node:worker_threads'
import type { FetchedFile, FromReader, ToReader } from './messages.js'
import { readBundled, Unfetched, Unusable } from './read.js'
import { asError } from '../kernel/thrown.js'

// Size limit: files of one specification, which the service limits
const waiting = new Map<string, { resolve(file: FetchedFile): void; reject(error: Error): void }>()
const send = (message: FromReader): void => parentPort?.postMessage(message)

const fetchFile = (url: string): Promise<FetchedFile> =>
  new Promise((resolve, reject) => {
    waiting.set(url, { resolve, reject })
    send({ wanted: url })
  })

async function read(input: Extract<ToReader, { read: unknown }>['read']): Promise<FromReader> {
  try {
    return { done: await readBundled(input, fetchFile) }
  } catch (error) {
    if (error instanceof Unusable) return { problem: error.problem }
    if (error instanceof RangeError)
      return {
        problem: {
          message: 'It is nested too deeply: its references lead through too many nested schemas. Use fewer levels.',
        },
      }
    // For input that it cannot read, the library throws errors with complete sentences.
    return { problem: { message: `It cannot be read: ${asError(error).message.slice(0, 500)}` } }
  }
}

export function work(): void {
  parentPort?.on('message', (message: ToReader) => {
    if ('read' in message) void read(message.read).then(send)
    else if ('file' in message) waiting.get(message.wanted)?.resolve(message.file)
    else waiting.get(message.wanted)?.reject(new Unfetched(message.failed.message, message.failed.code))
  })
  send({ ready: true })
}
