/**
 * The code of a pool thread. It loads the table of tasks, reports that it is ready, and then runs one task per request.
 */
import { readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { TaskRequest, TaskTable, ThreadData, ThreadMessage } from './messages.js'

const { tasks: url, maxResultBytes }: ThreadData = workerData
const { tasks }: { tasks: TaskTable } = await import(url)

/** The nice value that a pool thread adds to that of the main thread, so that parsing never delays responses. */
const NICENESS = 5

/** Returns the folder of /proc that describes this thread, `<pid>/task/<tid>`; null on systems other than Linux. */
function threadFolder(): string | null {
  try {
    return readlinkSync('/proc/thread-self')
  } catch {
    return null
  }
}

/** Lowers the thread's priority below that of the main thread. Only Linux has priorities for each thread. */
function lowerPriority(folder: string): void {
  try {
    const niceness = Math.min(getPriority(process.pid) + NICENESS, constants.priority.PRIORITY_LOW)
    setPriority(Number(basename(folder)), niceness)
  } catch {
    // A sandbox may forbid this. The thread then competes with the main thread.
  }
}

const folder = threadFolder()
if (folder !== null) lowerPriority(folder)

const send = (message: ThreadMessage, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(message, transfer)

async function run({ name, args }: TaskRequest): Promise<void> {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
  if (!task) throw new TypeError(`There is no task named ${name}`)
  const result = await task(...args)
  // A small Buffer is part of a pool that Node shares. Only bytes with a separate buffer can be transferred.
  const bytes = typeof result === 'string' ? new TextEncoder().encode(result) : Uint8Array.from(result)
  if (bytes.length > maxResultBytes) send({ tooLarge: bytes.length })
  else send({ bytes }, [bytes.buffer])
}

parentPort?.on('message', async (request: TaskRequest) => {
  try {
    await run(request)
  } catch (thrown) {
    const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
    send({ error: { name, message } })
  }
})
// The file in which Linux reports this thread's processor time.
send({ ready: true, cpuFile: folder === null ? null : `/proc/${folder}/schedstat` })
