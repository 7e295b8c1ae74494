/** Writes and parses the author and committer lines of commits. */
import type { Signature } from '../types.js'

const CRUD = /^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g
const printable = (text: string): string => text.replace(/[<>\u0000-\u001f\u007f]+/g, ' ').replace(/ {2,}/g, ' ')

/**
 * Returns `Name <email> seconds +hhmm`, without characters that would end a part early (`git commit` drops them as
 * well).
 */
export function encodeSignature({ name, email, seconds, offset }: Signature): string {
  const address = printable(email).replace(/\s+/g, '')
  const person = printable(name).replace(CRUD, '') || address.split('@')[0] || 'unknown'
  const minutes = Number.isFinite(offset) ? Math.min(Math.abs(Math.trunc(offset)), 14 * 60) : 0
  const digits = String(Math.floor(minutes / 60) * 100 + (minutes % 60)).padStart(4, '0')
  const time = Number.isFinite(seconds) ? Math.min(Math.max(0, Math.trunc(seconds)), 2 ** 40) : 0
  return `${person} <${address}> ${time} ${offset < 0 && minutes > 0 ? '-' : '+'}${digits}`
}

/** Parses a signature, including those of old Git versions. Missing parts become empty or zero. */
export function parseSignature(line: string): Signature {
  const match = /^(.*?) ?<([^>]*)>(?:.*> ?)? ?(-?\d+)?(?: ([+-])(\d{1,2}?)(\d{2}))?\s*$/.exec(line)
  if (!match) return { name: line, email: '', seconds: 0, offset: 0 }
  const [, name = '', email = '', seconds = '0', sign = '+', hours = '0', minutes = '0'] = match
  const offset = Number(hours) * 60 + Number(minutes)
  return { name, email, seconds: Number(seconds), offset: sign === '-' && offset > 0 ? -offset : offset }
}
