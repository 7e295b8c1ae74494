/**
 * The process that reads one specification. It has no files, no environment and no network, and ends by itself. A
 * thread does the reading: the library follows references by recursion, and a thread may have a larger stack than the
 * system gives a process.
 */
import { required } from '../kernel/defined.js'
import { asError } from '../kernel/thrown.js'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import type { FetchedFile, FromReader, ToReader } from './messages.js'
import { readBundled, Unfetched, Unusable } from './read.js'

/**
 * Stack size that is sufficient for some tens of thousands of schemas that refer to each other. Memory is allocated
 * only when it is used.
 */
const STACK_MB = 128

/** Starts the thread, and forwards messages between it and the service. */
function watch(): void {
  const [maxMs, heapMb] = process.argv.slice(2).map(Number)
  // End by itself if the service that would end it is gone.
  setTimeout(() => process.exit(1), maxMs)
  process.on('disconnect', () => process.exit())
  const url = JSON.stringify(import.meta.url)
  // When running from the sources, each thread must register tsx first.
  const code = import.meta.url.endsWith('.ts')
    ? `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${url}) })`
    : `import(${url})`
  const thread = new Worker(code, {
    eval: true,
    resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: required(heapMb) },
  })
  thread.on('message', (message: FromReader) => process.send?.(message))
  // The thread is out of memory.
  thread.on('error', () => process.exit(1))
  process.on('message', (message) => thread.postMessage(message))
}

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
    return { problem: { message: `It cannot be read: ${String(asError(error).message).slice(0, 500)}` } }
  }
}

function work(): void {
  parentPort?.on('message', (message: ToReader) => {
    if ('read' in message) void read(message.read).then(send)
    else if ('file' in message) waiting.get(message.wanted)?.resolve(message.file)
    else waiting.get(message.wanted)?.reject(new Unfetched(message.failed.message, message.failed.code))
  })
  send({ ready: true })
}

if (isMainThread) watch()
else work()
