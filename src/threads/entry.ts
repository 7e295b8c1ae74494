/**
 * The code of a pool thread. It loads the table of tasks, reports that it is ready, and then runs one task per request.
 */
import { readlinkSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { TaskRequest, TaskTable, ThreadData, ThreadMessage } from './messages.js'

const { tasks: url, maxResultBytes }: ThreadData = workerData
const { tasks }: { tasks: TaskTable } = await import(url)

/** Returns the file in which Linux reports this thread's processor time; null on other systems. */
function cpuFile(): string | null {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/schedstat`
  } catch {
    return null
  }
}

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
send({ ready: true, cpuFile: cpuFile() })
