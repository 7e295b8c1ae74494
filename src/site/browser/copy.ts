/** Copies code without prompts, prompts for assistants, and pages as markdown. */
import { announce, icon, make, onClick, words } from './page.js'

/** Languages whose code may contain the prompt of a shell, and its output. */
const SHELLS = /\blanguage-(?:bash|console|sh|shell|shell-?session|text|zsh)\b/
const SHOWN_MS = 2000

/** Returns code as a user would enter it. For a shell session, returns the commands without prompts and output. */
function withoutPrompts(code: string): string {
  const lines = code.split('\n')
  if (!lines.find((line) => line.trim() !== '')?.startsWith('$ ')) return code
  const commands: string[] = []
  let isContinued = false
  for (const line of lines) {
    const isCommand = line.startsWith('$ ')
    if (isCommand || isContinued) commands.push(isCommand ? line.slice(2) : line)
    isContinued = (isCommand || isContinued) && line.endsWith('\\')
  }
  return `${commands.join('\n')}\n`
}

function copiedText(button: HTMLElement): string {
  if (button.dataset.copy) return button.dataset.copy
  const code = button.closest('.code-block')?.querySelector('code')
  if (code) return SHELLS.test(code.className) ? withoutPrompts(code.textContent ?? '') : (code.textContent ?? '')
  const details = button.closest('.prompt')?.querySelector('details')
  const text = details?.querySelector<HTMLElement>('.copied')
  if (!details || !text) return ''
  // The text of hidden elements has no line breaks.
  const { open } = details
  details.open = true
  const shown = text.innerText
  details.open = open
  return shown
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Pages without https have no clipboard.
    const field = make('textarea', { class: 'vh', readonly: '' })
    field.value = text
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null
    document.body.append(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    focused?.focus({ preventScroll: true })
    return isCopied
  }
}

function confirm(button: HTMLElement): void {
  const old = button.querySelector('svg')
  if (!old || button.dataset.done) return
  const done = icon('check')
  button.dataset.done = 'true'
  old.replaceWith(done)
  setTimeout(() => {
    done.replaceWith(old)
    delete button.dataset.done
  }, SHOWN_MS)
}

async function copy(button: HTMLElement, text: string): Promise<void> {
  if (!(await write(text))) return announce(words.failed ?? '')
  confirm(button)
  announce(words.copied ?? '')
}

export function startCopy(): void {
  onClick<HTMLElement>('[data-copy]', (button) => void copy(button, copiedText(button)))
  for (const button of document.querySelectorAll<HTMLElement>('[data-copy-page]')) button.hidden = false
  onClick<HTMLElement>('[data-copy-page]', (button) => {
    fetch(button.dataset.copyPage ?? '')
      .then((response) => (response.ok ? response.text() : Promise.reject(new Error(String(response.status)))))
      .then((text) => copy(button, text))
      .catch(() => announce(words.failed ?? ''))
  })
}
