import { readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { basename } from 'node:path'
import type { TaskTable } from '../../src/threads/messages.js'

/** Tasks for the pool that succeed, fail or hang. */
export const tasks: TaskTable = {
  echo: (text) => text as string,
  upper: (a, b) => `${a}${b}`.toUpperCase(),
  throws: (message: string) => {
    throw new RangeError(message)
  },
  spin: (ms) => {
    const until = Date.now() + Number(ms)
    while (Date.now() < until);
    return `spun ${ms}`
  },
  forever: () => {
    for (;;);
  },
  hog: () => {
    const kept: number[][] = []
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index + kept.length))
  },
  large: (bytes) => new Uint8Array(Number(bytes)),
  niceness: () => `${getPriority(Number(basename(readlinkSync('/proc/thread-self'))))}`,
  environment: () => JSON.stringify(process.env),
}
