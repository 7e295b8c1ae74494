/** The process that reads one specification. It has no files, no environment and no network of its own, and ends by itself. */
import { Worker } from 'node:worker_threads'
import type { FetchedFile, FromReader, ToReader } from './messages.js'
import { readBundled, Unfetched, Unusable } from './read.js'

/** After this time the process ends by itself, if the service that would end it is gone. */
const LONGEST_MS = Number(process.argv[2])
new Worker(`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${LONGEST_MS}); process.kill(process.pid, 'SIGKILL')`, { eval: true }).unref()
process.on('disconnect', () => process.exit())

const send = (message: FromReader): void => void process.send?.(message)
// bound: files of one specification, which the service limits
const waiting = new Map<string, { resolve(file: FetchedFile): void; reject(error: Error): void }>()

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
    if (error instanceof RangeError) return { problem: { message: 'It is nested too deeply: its references lead through too many schemas in each other.' } }
    // The library throws errors with sentences for what it cannot read.
    return { problem: { message: `It cannot be read: ${String((error as Error).message).slice(0, 500)}` } }
  }
}

process.on('message', (message: ToReader) => {
  if ('read' in message) void read(message.read).then(send)
  else if ('file' in message) waiting.get(message.wanted)?.resolve(message.file)
  else waiting.get(message.wanted)?.reject(new Unfetched(message.failed.message, message.failed.code))
})
send({ ready: true })
