/**
 * The process that reads one specification. It has no files, no environment and no network, and ends by itself. A
 * thread does the reading: the library follows references by recursion, and a thread may have a larger stack than the
 * system gives a process.
 */
import { required } from '../kernel/defined.js'
import { isMainThread, Worker } from 'node:worker_threads'
import type { FromReader } from './messages.js'

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

if (isMainThread) watch()
// Only the thread loads the library.
else (await import('./read-thread.js')).work()
