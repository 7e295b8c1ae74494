/** Apertium, as a command of the system. */
import { spawn } from 'node:child_process'
import { type Engine, EngineError } from '../types.js'
import { asHtml } from './html.js'
import { remembered } from './remembered.js'

const NAME = 'Apertium'
const NOT_THERE = `${NAME} cannot be started: install the package apertium with those of the languages.`
/** Largest output, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024
/** Codes of three letters by ours; packages name their directions by either. */
// biome-ignore format: a table
const THREE: Readonly<Record<string, string>> = {
  en: 'eng', fr: 'fra', de: 'deu', es: 'spa', it: 'ita', pt: 'por', 'pt-br': 'por_BR', ru: 'rus', ar: 'ara', hi: 'hin', nl: 'nld', pl: 'pol', tr: 'tur',
  sv: 'swe', no: 'nob', da: 'dan', fi: 'fin', cs: 'ces', ro: 'ron', id: 'ind', ms: 'zlm', he: 'heb', uk: 'ukr', bg: 'bul', hr: 'hbs', sl: 'slv',
}

const codesOf = (language: string): string[] => [...(THREE[language] === undefined ? [] : [THREE[language]]), language]

/** The engine behind a command; `timeoutMs` is for one call. */
export function apertium(command: string, timeoutMs: number): Engine {
  const directions = remembered(
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

/** The texts of the output, by the elements that were put around them; '' for one that is missing. */
function split(output: string, count: number): string[] {
  const found = new Array<string>(count).fill('')
  for (const [, index, text = ''] of output.matchAll(/<p id="t(\d+)">([\s\S]*?)<\/p>/g))
    found[Number(index)] = rejoined(text)
  return found.slice(0, count)
}

/** An element whose words it has moved apart is written several times: it becomes one again, with the words between. */
function rejoined(text: string): string {
  let now = text
  for (let rounds = 0; rounds < 50; rounds++) {
    const next = now.replace(/<span id="(\d+)">([^<]*)<\/span>([^<]*)<span id="\1">/g, '<span id="$1">$2$3')
    if (next === now) return now
    now = next
  }
  return now
}

/** The command opens /dev/stdin, which it cannot if that is a socket, as Node gives it: it gets a pipe. Nothing of the command line is parsed. */
const THROUGH_PIPE = 'cat | "$0" "$@"'

/** Runs the command with as little of the environment as it needs, and ends it with all its children. */
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
          // it has ended
        }
      }
    }
    const abort = (): void => end(new EngineError('unreachable', `${NAME} was stopped.`))
    const timer = setTimeout(
      () => end(new EngineError('unreachable', `${NAME} did not answer within ${timeoutMs / 1000} seconds.`)),
      timeoutMs,
    )
    signal?.addEventListener('abort', abort)
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes > MAX_BYTES)
        end(new EngineError('bad-answer', `The response of ${NAME} has more than ${MAX_BYTES} bytes.`))
    })
    child.on('error', () => end(new EngineError('refused', NOT_THERE)))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('close', (code) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      if (failure) reject(failure)
      else if (code === 126 || code === 127) reject(new EngineError('refused', NOT_THERE))
      else if (code !== 0) reject(new EngineError('bad-answer', `${NAME} failed (${code ?? 'killed'}).`))
      else resolve(Buffer.concat(chunks).toString())
    })
  })
}
