/** The Apertium engine, which runs as a system command. */
import { spawn } from 'node:child_process'
import { type Engine, EngineError } from '../types.js'
import { asHtml } from './html.js'
import { cachedForMinutes } from './remembered.js'

const NAME = 'Apertium'
const NOT_INSTALLED = `${NAME} cannot be started. Install the package apertium and the packages of the languages.`
/** Maximum size of the output, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024
/** Three-letter codes by Bindery's language codes. Packages use either code in their directions. */
// biome-ignore format: a table
const THREE_LETTER_CODES: Readonly<Record<string, string>> = {
  en: 'eng', fr: 'fra', de: 'deu', es: 'spa', it: 'ita', pt: 'por', 'pt-br': 'por_BR', ru: 'rus', ar: 'ara', hi: 'hin', nl: 'nld', pl: 'pol', tr: 'tur',
  sv: 'swe', no: 'nob', da: 'dan', fi: 'fin', cs: 'ces', ro: 'ron', id: 'ind', ms: 'zlm', he: 'heb', uk: 'ukr', bg: 'bul', hr: 'hbs', sl: 'slv',
}

const codesOf = (language: string): string[] => [
  ...(THREE_LETTER_CODES[language] === undefined ? [] : [THREE_LETTER_CODES[language]]),
  language,
]

/** Returns the engine for a command. `timeoutMs` applies to one call. */
export function apertium(command: string, timeoutMs: number): Engine {
  const directions = cachedForMinutes(
    async (signal?: AbortSignal) => new Set((await run(command, ['-l'], '', timeoutMs, signal)).split(/\s+/)),
  )
  const directionOf = async (from: string, to: string, signal?: AbortSignal): Promise<string | undefined> => {
    const known = await directions(signal)
    return codesOf(from)
      .flatMap((source) => codesOf(to).map((target) => `${source}-${target}`))
      .find((one) => known.has(one))
  }
  return {
    name: 'apertium',
    model: 'apertium',
    guided: { instructions: false, glossary: false },
    batch: { texts: 200, characters: 50_000 },
    async refusal({ from, to }, signal) {
      return (await directionOf(from, to, signal)) === undefined
        ? `${NAME} has no package installed for ${from} → ${to}.`
        : null
    },
    async translate(texts, { from, to }, _guidance, signal) {
      const direction = await directionOf(from, to, signal)
      if (direction === undefined)
        throw new EngineError('refused', `${NAME} has no package installed for ${from} → ${to}.`)
      const input = texts.map((text, index) => `<p id="t${index}">${asHtml(text)}</p>\n`).join('')
      return split(await run(command, ['-u', '-f', 'html', direction], input, timeoutMs, signal), texts.length)
    },
  }
}

/** Returns the texts in the output by their enclosing elements; '' for a missing text. */
function split(output: string, count: number): string[] {
  const found = new Array<string>(count).fill('')
  for (const [, index, text = ''] of output.matchAll(/<p id="t(\d+)">([\s\S]*?)<\/p>/g))
    found[Number(index)] = rejoined(text)
  return found.slice(0, count)
}

/**
 * Joins an element that Apertium wrote several times after separating its words. The words between become part of it.
 */
function rejoined(text: string): string {
  let now = text
  for (let rounds = 0; rounds < 50; rounds++) {
    const next = now.replace(/<span id="(\d+)">([^<]*)<\/span>([^<]*)<span id="\1">/g, '<span id="$1">$2$3')
    if (next === now) return now
    now = next
  }
  return now
}

/**
 * Passes the input through a pipe, because the command opens /dev/stdin and cannot open the socket that Node provides.
 * The shell does not parse the arguments.
 */
const THROUGH_PIPE = 'cat | "$0" "$@"'

/** Runs the command with a minimal environment. Ends it with all its children. */
function run(
  command: string,
  args: readonly string[],
  input: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', THROUGH_PIPE, command, ...args], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' },
    })
    const chunks: Buffer[] = []
    let bytes = 0
    let failure: EngineError | null = null
    const end = (error: EngineError): void => {
      failure ??= error
      if (child.pid !== undefined) {
        try {
          process.kill(-child.pid, 'SIGKILL')
        } catch {
          // It has already ended.
        }
      }
    }
    const abort = (): void => end(new EngineError('unreachable', `${NAME} was stopped.`))
    const timer = setTimeout(
      () => end(new EngineError('unreachable', `${NAME} did not respond within ${timeoutMs / 1000} seconds.`)),
      timeoutMs,
    )
    signal?.addEventListener('abort', abort)
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes > MAX_BYTES)
        end(new EngineError('bad-answer', `The response of ${NAME} has more than ${MAX_BYTES} bytes.`))
    })
    child.on('error', () => end(new EngineError('refused', NOT_INSTALLED)))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('close', (code) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      if (failure) reject(failure)
      else if (code === 126 || code === 127) reject(new EngineError('refused', NOT_INSTALLED))
      else if (code !== 0) reject(new EngineError('bad-answer', `${NAME} failed (${code ?? 'killed'}).`))
      else resolve(Buffer.concat(chunks).toString())
    })
  })
}
