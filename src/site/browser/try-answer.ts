// Shows the response of an API. Everything in it becomes text nodes, never HTML.
import type { TryOrder } from '../../render/site/api-request.js'
import { make } from './page.js'

/** Maximum number of characters of a body that are shown. */
const MAX_SHOWN = 200_000
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript|x-ndjson|x-www-form-urlencoded))|^$/i

/** Returns the elements that show a response. `ms` is the time until its headers arrived. */
export async function readAnswer(response: Response, ms: number, words: TryOrder['words']): Promise<Node[]> {
  const { status, statusText, ok, headers } = response
  const line = make(
    'p',
    { class: 'answer-line', dir: 'ltr' },
    make('span', { class: `status ${ok ? 'ok2' : 'bad'}` }, String(status)),
    ` ${statusText} · ${ms} ms`,
  )
  const list = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const type = headers.get('Content-Type') ?? ''
  const isText = TEXT.test(type)
  const { text, isCut } = isText ? await start(response) : { text: '', isCut: false }
  if (!isText) await response.body?.cancel()
  const note = isText ? (isCut ? words.cutBody : '') : words.notText
  const shown = /json/i.test(type) && !isCut ? indented(text) : text
  return [
    line,
    make('details', {}, make('summary', {}, words.header), block(list, words.header)),
    ...(shown === '' ? [] : [block(shown, words.response)]),
    ...(note === '' ? [] : [make('p', {}, note)]),
  ]
}

const block = (text: string, title: string): HTMLElement =>
  make('pre', { class: 'code wrap', dir: 'ltr', tabindex: '0', role: 'group', 'aria-label': title }, text)

/** Reads the start of a body. */
async function start({ body }: Response): Promise<{ text: string; isCut: boolean }> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (reader && text.length <= MAX_SHOWN) {
    const { done, value } = await reader.read()
    if (done) return { text, isCut: false }
    text += value
  }
  await reader?.cancel()
  return { text: text.slice(0, MAX_SHOWN), isCut: reader !== undefined }
}

/** Breaks JSON into lines. It is not parsed, so that large numbers keep their digits. */
function indented(json: string): string {
  let depth = 0
  const line = (): string => `\n${'  '.repeat(Math.min(depth, 40))}`
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|[^\s"{}[\],:]+|"/g) ?? []
  return tokens
    .map((token) => {
      if (token === '{' || token === '[') depth++
      else if (token === '}' || token === ']') {
        depth = Math.max(0, depth - 1)
        return line() + token
      }
      if (token === ':') return ': '
      return '{[,'.includes(token) ? token + line() : token
    })
    .join('')
}
