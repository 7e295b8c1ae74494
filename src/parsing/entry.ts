import { readlinkSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { Notice, Order, TaskTable, ThreadData } from './messages.js'

const { tasks: url, maxAnswerBytes } = workerData as ThreadData
const { tasks } = (await import(url)) as { tasks: TaskTable }

/** Where Linux tells how long this very thread has run; null elsewhere. */
function cpuFile(): string | null {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/schedstat`
  } catch {
    return null
  }
}

const tell = (notice: Notice, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(notice, transfer)

function answer({ name, args }: Order): void {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
  if (!task) throw new TypeError(`There is no task ${name}`)
  const made = task(...args)
  // A small Buffer is part of a shared pool: only bytes of their own can be transferred.
  const bytes = typeof made === 'string' ? new TextEncoder().encode(made) : Uint8Array.from(made)
  if (bytes.length > maxAnswerBytes) tell({ tooLarge: bytes.length })
  else tell({ bytes }, [bytes.buffer as ArrayBuffer])
}

parentPort?.on('message', (order: Order) => {
  try {
    answer(order)
  } catch (thrown) {
    const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
    tell({ error: { name, message } })
  }
})
tell({ ready: true, cpuFile: cpuFile() })
