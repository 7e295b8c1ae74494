/** Validators for setting values. Each returns the value, or throws what is wrong with it. */
import { accessSync, constants, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { EnvError, makeValidator } from 'envalid'
import ipaddr from 'ipaddr.js'
import type { LogSetting } from '../kernel/log.js'
import { isOneOf } from '../kernel/guards.js'

const fail = (message: string): never => {
  throw new EnvError(message)
}

/** envalid has no null. An empty setting is unset, and becomes null in `loadConfig`. */
export const text = makeValidator<string>((input) => (input === '' ? fail('must not be empty') : input))
export const flag = makeValidator<boolean>((input) => {
  if (['true', '1', 'yes', 'on'].includes(input)) return true
  return ['false', '0', 'no', 'off', ''].includes(input) ? false : fail('must be true or false')
})
export const integer = (min: number, max: number) =>
  makeValidator<number>((input) => {
    const value = Number(input)
    return /^\d+$/.test(input) && value >= min && value <= max
      ? value
      : fail(`must be a whole number from ${min} to ${max}`)
  })
const words = (input: string): string[] => input.split(',').flatMap((word) => word.trim() || [])
export const level = makeValidator<LogSetting>((input) =>
  isOneOf<LogSetting>(['auto', 'fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], input)
    ? input
    : fail('must be one of auto, fatal, error, warn, info, debug, trace, silent'),
)
export const secret = makeValidator<string>((input) =>
  input === ''
    ? ''
    : input.length >= 20 && !/\s/.test(input)
      ? input
      : fail('must have at least 20 characters and no spaces'),
)
export const email = makeValidator<string>((input) =>
  input === '' ? '' : /^[^\s@]+@[^\s@]+$/.test(input) ? input : fail('must be an email address'),
)

export const folder = makeValidator<string>((input) =>
  input === '' || statSync(input, { throwIfNoEntry: false })?.isDirectory()
    ? input
    : fail('must be the path of an existing folder'),
)

/** The URL of a service that the operator names, with a path if it has one. */
export const httpUrl = makeValidator<string>((input) => {
  if (input === '') return ''
  const url = URL.canParse(input) ? new URL(input) : fail('must be an http or https URL')
  if (!['http:', 'https:'].includes(url.protocol)) fail('must be an http or https URL')
  return url.username || url.password || url.search || url.hash
    ? fail('must be a URL without user, query and fragment')
    : input
})
/** A key that another service issued, of any length. */
export const key = makeValidator<string>((input) =>
  /[^\x21-\x7e]/.test(input) ? fail('must be printable ASCII without spaces') : input,
)
export const optionalText = makeValidator<string>((input) => input)

export const smtpUrl = makeValidator<string>((input) => {
  if (input === '') return ''
  const url = URL.canParse(input) ? new URL(input) : fail('must be an smtp or smtps URL')
  return ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== ''
    ? input
    : fail('must be an smtp or smtps URL')
})
export const databaseUrl = makeValidator<string>((input) => {
  if (input === '') return ''
  const url = URL.canParse(input) ? new URL(input) : fail('must be a postgresql URL')
  return ['postgresql:', 'postgres:'].includes(url.protocol) && url.pathname.length > 1
    ? input
    : fail('must be a postgresql URL with a database name: postgresql://user:password@db.example.org/bindery')
})
export const signingKey = makeValidator<string>((input) =>
  input === '' || /^[0-9a-f]{64}$/i.test(input)
    ? input.toLowerCase()
    : fail('must be 64 hexadecimal digits: openssl rand -hex 32 generates one'),
)
export const sender = makeValidator<string>((input) =>
  input === '' || /^(?:[^<>"@\p{Cc}]{0,100}<[^\s@<>",;]+@[^\s@<>",;]+>|[^\s@<>",;]+@[^\s@<>",;]+)$/u.test(input)
    ? input
    : fail('must be an email address, or a name and an address: Docs <docs@example.org>'),
)

/** Returns an origin: scheme and host, without path and trailing slash. */
function originOf(input: string): string {
  const url = URL.canParse(input) ? new URL(input) : fail('must be an http or https URL')
  if (!['http:', 'https:'].includes(url.protocol)) fail('must be an http or https URL')
  if (url.pathname !== '/' || url.search || url.hash || url.username)
    fail('must only have scheme, host and port, such as https://docs.example.org')
  return url.origin
}
export const optionalOrigin = makeValidator<string>((input) => (input === '' ? '' : originOf(input)))
/** An origin whose host name may start with `*.`. */
export const optionalSitesOrigin = makeValidator<string>((input) => {
  if (input === '') return ''
  const [, scheme, star, rest] = /^(https?:\/\/)(\*\.)?(.*)$/.exec(input) ?? fail('must be an http or https URL')
  return originOf(`${scheme}${rest}`).replace('//', star ? '//*.' : '//')
})
export const origins = makeValidator<string[]>((input) =>
  words(input).map((word) => (word === '*' ? word : originOf(word))),
)
export const protocols = makeValidator<RemoteProtocol[]>((input) =>
  words(input).map((word) =>
    isOneOf<RemoteProtocol>(['https', 'ssh', 'http', 'file'], word)
      ? word
      : fail('must be a list of https, ssh, http, file'),
  ),
)
export const networks = makeValidator<boolean | string[]>((input) => {
  if (['true', 'false', ''].includes(input)) return input === 'true'
  return words(input).map((word) => {
    if (isIP(word)) return `${word}/${isIP(word) === 4 ? 32 : 128}`
    return ipaddr.isValidCIDR(word) ? word : fail('must be true, false or a list of addresses and CIDR ranges')
  })
})

/**
 * Returns the absolute path of an existing file of the operator. It appears in an ssh command line, so it may not
 * contain characters that ssh expands.
 */
function fileOf(input: string): string {
  const file = resolve(input)
  if (/["%$\\\p{Cc}]/u.test(file)) fail('must be a path without quotes, %, $ and backslashes')
  try {
    accessSync(file, constants.R_OK)
    if (statSync(file).isFile()) return file
  } catch {
    // Reported below.
  }
  return fail('must be the path of an existing, readable file')
}
export const optionalFile = makeValidator<string>((input) => (input === '' ? '' : fileOf(input)))
/** ssh rejects a private key that belongs to its user and that others can read. */
export const privateKeyFile = makeValidator<string>((input) => {
  if (input === '') return ''
  const file = fileOf(input)
  const { uid, mode } = statSync(file)
  return uid === process.getuid?.() && (mode & 0o077) !== 0
    ? fail('must be readable only by its owner: chmod 600')
    : file
})

/** A protocol of remote repositories. */
export type RemoteProtocol = 'https' | 'ssh' | 'http' | 'file'
