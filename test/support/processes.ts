/** The process data that other users of this machine can see. */
import { readdirSync, readFileSync } from 'node:fs'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Argument lists and environments of all living processes except this one. */
export const processTexts = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => [read(`/proc/${pid}/cmdline`), read(`/proc/${pid}/environ`)])
