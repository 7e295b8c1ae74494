// The editor for requests to an API. Nothing is sent until the reader presses "Send", and nothing is stored.
import { type ApiRequest, curl, type TryOrder } from '../../render/site/api-request.js'
import { icon, make, onClick, words as pageWords } from './page.js'
import { readAnswer } from './try-answer.js'

const MAX_WAIT_MS = 60_000

/** The fields of an editor. */
interface Fields {
  server: () => string
  parameters: { name: string; in: string; input: HTMLInputElement }[]
  headers: { name: HTMLInputElement; value: HTMLInputElement }[]
  body: HTMLTextAreaElement | null
}

/** Returns the request that the fields describe. */
function requestOf({ method, path }: TryOrder, { server, parameters, headers, body }: Fields): ApiRequest {
  const given = parameters.filter(({ input }) => input.value !== '')
  const filled = given
    .filter((one) => one.in === 'path')
    .reduce((text, { name, input }) => text.replaceAll(`{${name}}`, () => encodeURIComponent(input.value)), path)
  const query = given
    .filter((one) => one.in === 'query')
    .map(({ name, input }) => `${encodeURIComponent(name)}=${encodeURIComponent(input.value)}`)
  const text = body && body.value !== '' ? body.value : null
  const sent = headers
    .map(({ name, value }): [string, string] => [name.value.trim(), value.value.trim()])
    .filter(([name, value]) => name !== '' && value !== '' && (text !== null || !/^content-type$/i.test(name)))
  return {
    method,
    url: `${server()}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: sent,
    body: text,
  }
}

function label(name: Node | string, field: Node, note = ''): HTMLElement {
  const title = make('span', {}, name)
  if (note !== '') title.append(' ', make('small', {}, note))
  return make('label', {}, title, field)
}

const PLAIN = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', dir: 'ltr' }

/** Creates the fields, and the form that contains them. */
function formOf(order: TryOrder, changed: () => void): { form: HTMLFormElement; fields: Fields } {
  const { words, servers, parameters, body } = order
  const form = make('form', { autocomplete: 'off' })
  // Enter in a field must not send the form.
  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('input', changed)
  const choice = make('select', { dir: 'ltr', autofocus: '' }, ...servers.map((server) => make('option', {}, server)))
  form.append(label(words.server, choice))
  const inputs = parameters.map((one) => ({ ...one, input: make('input', { ...PLAIN, value: one.value }) }))
  for (const place of ['path', 'query'] as const) {
    const here = inputs.filter((one) => one.in === place)
    if (here.length === 0) continue
    const fields = here.map((one) =>
      label(make('code', { dir: 'ltr' }, one.name), one.input, one.required ? words.required : ''),
    )
    form.append(make('fieldset', {}, make('legend', {}, words[place]), ...fields))
  }
  const headers: Fields['headers'] = []
  const rows = make('fieldset', {}, make('legend', {}, words.header))
  const addHeader = ([name, value]: readonly [string, string]): void => {
    const row = {
      name: make('input', { ...PLAIN, value: name, 'aria-label': words.name, placeholder: words.name }),
      value: make('input', { ...PLAIN, value, 'aria-label': words.value, placeholder: words.value }),
    }
    headers.push(row)
    add.before(make('div', { class: 'row' }, row.name, row.value))
  }
  const add = make('button', { class: 'btn', type: 'button' }, words.addHeader)
  rows.append(add)
  for (const header of order.headers) addHeader(header)
  add.addEventListener('click', () => {
    addHeader(['', ''])
    headers.at(-1)?.name.focus()
  })
  form.append(rows)
  const text = body && make('textarea', { ...PLAIN, rows: '8' }, body.text)
  if (body && text) form.append(label(words.body, text, body.type))
  return { form, fields: { server: () => choice.value, parameters: inputs, headers, body: text } }
}

/** Creates the dialog in which a reader edits and sends a request to an operation. */
function editorOf(order: TryOrder): HTMLDialogElement {
  const { words, method, path } = order
  const code = make('code', { class: 'language-bash' })
  const show = (): void => code.replaceChildren(curl(requestOf(order, fields)))
  const { form, fields } = formOf(order, show)
  show()
  const copy = make(
    'button',
    { class: 'btn-i', type: 'button', 'data-copy': '', 'aria-label': words.copy },
    icon('copy'),
  )
  const frame = make(
    'div',
    { class: 'code-block' },
    make('div', { class: 'code-bar bare' }, copy),
    make('pre', { class: 'code wrap', dir: 'ltr', tabindex: '0', role: 'group', 'aria-label': words.request }, code),
  )
  const send = make('button', { class: 'btn primary', type: 'button' }, words.send)
  const answer = make('div', { class: 'answer', role: 'status' })
  const close = make('button', { class: 'btn-i', type: 'button', 'aria-label': pageWords.close ?? '' }, icon('x'))
  const name = make('span', { class: `method ${method.toLowerCase().replace(/[^a-z]/g, '')}` }, method)
  const dialog = make(
    'dialog',
    { class: 'trier', 'aria-label': `${words.tryIt}: ${method} ${path}` },
    make('div', { class: 'op', dir: 'ltr' }, name, make('span', { class: 'path' }, path), close),
    make(
      'div',
      { class: 'trier-in' },
      form,
      make(
        'div',
        {},
        make('p', { class: 'panel-title' }, words.request),
        frame,
        make('p', { class: 'send' }, send, make('small', {}, words.tryNote)),
        answer,
      ),
    ),
  )
  let stop = new AbortController()
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => stop.abort())
  send.addEventListener('click', async () => {
    stop = new AbortController()
    send.disabled = true
    answer.replaceChildren(make('p', {}, `${words.sending} …`))
    answer.replaceChildren(...(await sent(order, fields, stop.signal)))
    send.disabled = false
  })
  document.body.append(dialog)
  return dialog
}

/** Sends the request, and returns the elements that show the response. */
async function sent(order: TryOrder, fields: Fields, stop: AbortSignal): Promise<Node[]> {
  const { method, url, headers, body } = requestOf(order, fields)
  const started = performance.now()
  try {
    // The path of an operation could otherwise continue the host name of its server.
    if (new URL(url).origin !== new URL(fields.server()).origin)
      throw new TypeError('The address is not on the server.')
    const response = await fetch(url, {
      method,
      headers,
      body: method === 'GET' || method === 'HEAD' ? null : body,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: AbortSignal.any([stop, AbortSignal.timeout(MAX_WAIT_MS)]),
    })
    return await readAnswer(response, Math.round(performance.now() - started), order.words)
  } catch {
    return [make('p', {}, order.words.noAnswer)]
  }
}

let styled: Promise<void> | undefined

/** Loads the style sheet of the editors. */
function loadSheet(): Promise<void> {
  const href = document.querySelector<HTMLElement>('script[data-sheet]')?.dataset.sheet ?? ''
  const link = make('link', { rel: 'stylesheet', href })
  document.head.append(link)
  return new Promise((done) => {
    for (const event of ['load', 'error']) link.addEventListener(event, () => done())
  })
}

// bound: the operations of the page
const editors = new Map<Element, HTMLDialogElement>()

onClick<HTMLButtonElement>('[data-try]', (button) => {
  styled ??= loadSheet()
  const editor = editors.get(button) ?? editorOf(JSON.parse(button.dataset.try ?? ''))
  editors.set(button, editor)
  void styled.then(() => editor.showModal())
})
