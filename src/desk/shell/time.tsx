/** Relative times ("4 min ago") up to a day, then a date. The exact time is the title. */
import { language } from '../words/index.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Returns a time in words. */
export function inWords(iso: string, now = Date.now()): string {
  const date = new Date(iso)
  const since = now - date.getTime()
  const relative = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto', style: 'short' })
  if (since < MINUTE && since > -MINUTE) return relative.format(0, 'second')
  if (Math.abs(since) < HOUR) return relative.format(-Math.round(since / MINUTE), 'minute')
  if (Math.abs(since) < DAY) return relative.format(-Math.round(since / HOUR), 'hour')
  const sameYear = date.getFullYear() === new Date(now).getFullYear()
  return date.toLocaleDateString(language.value, {
    month: 'short',
    day: 'numeric',
    ...(sameYear ? {} : { year: 'numeric' }),
  })
}

/** A time. */
export const Time = ({ iso }: { iso: string }) => (
  <time dateTime={iso} title={new Date(iso).toLocaleString(language.value)}>
    {inWords(iso)}
  </time>
)
