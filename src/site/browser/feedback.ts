/** Sends feedback without leaving the page. Without script, the form opens a separate page. */
import { announce, make, words } from './page.js'

const send = async (form: HTMLFormElement, data: FormData): Promise<{ entry: string }> => {
  const body = new URLSearchParams([...data].map(([name, value]): [string, string] => [name, String(value)]))
  const response = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'application/json' } })
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}

function thank(form: HTMLFormElement, ...more: (Node | string)[]): void {
  form.replaceChildren(make('p', {}, words.thanks ?? ''), ...more)
  announce(words.thanks ?? '')
}

/** Asks for a comment about a stored rating. */
function ask(form: HTMLFormElement, entry: string): void {
  const page = form.querySelector('input[name=page]')
  const field = make('textarea', { name: 'comment', maxlength: '2000', rows: '3', required: '' })
  thank(
    form,
    ...(page ? [page] : []),
    make('input', { type: 'hidden', name: 'entry', value: entry }),
    make('label', {}, words.ask ?? '', field),
    make('button', { class: 'btn' }, words.send ?? ''),
  )
  field.focus()
}

export function startFeedback(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-feedback]')
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    const data = new FormData(form, event.submitter)
    const isComment = data.has('entry')
    for (const button of form.querySelectorAll('button')) button.disabled = true
    send(form, data).then(
      ({ entry }) => (isComment ? thank(form) : ask(form, entry)),
      () => {
        announce(words.failed ?? '')
        for (const button of form.querySelectorAll('button')) button.disabled = false
      },
    )
  })
}
