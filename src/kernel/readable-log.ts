/** Formats lines of the log for people who watch a terminal. */
import { isRecord } from './guards.js'

/** Fields that have their own place in a line. */
const SHOWN = new Set(['level', 'time', 'msg', 'error', 'err'])
// Texts of users could otherwise control the terminal.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g
const visible = (text: string): string => text.replace(CONTROL, (one) => (one === '\n' ? '\n  ' : '\ufffd'))

/** Returns a JSON line of the log as `10:59:04 warn  message  field=value`, with the causes of an error below it. */
export function readableLine(line: string): string {
  const entry: unknown = JSON.parse(line)
  if (!isRecord(entry)) return line
  const fields = Object.entries(entry).flatMap(([name, value]) =>
    SHOWN.has(name) ? [] : `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const time = new Date(String(entry.time)).toTimeString().slice(0, 8)
  const first = [time, String(entry.level).padEnd(5), String(entry.msg), ...fields].join(' ')
  return `${[first, ...causesOf(entry.error ?? entry.err)].map(visible).join('\n')}\n`
}

/** Returns a line per cause, and the stack of the first one, which is where to look. */
function causesOf(chain: unknown): string[] {
  if (!Array.isArray(chain)) return []
  return chain.filter(isRecord).map(({ name, message, stack }, at) => {
    const shown = at === 0 && typeof stack === 'string' ? stack : `${name}: ${message}`
    return `${at === 0 ? '' : 'caused by '}${shown}`
  })
}
