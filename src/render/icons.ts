/** Icons, which pages name by the names of Font Awesome: those that carry meaning as a character, others as an empty element with a label. */
import { h } from './element.js'
import type { HtmlElement } from './types.js'

const CHARACTERS: Record<string, string> = {
  check: '✓',
  'circle-check': '✔',
  'square-check': '☑',
  xmark: '✗',
  times: '✗',
  'circle-xmark': '✘',
  minus: '−',
  plus: '+',
  star: '★',
  heart: '♥',
  'arrow-right': '→',
  'arrow-left': '←',
  'arrow-up': '↑',
  'arrow-down': '↓',
  'triangle-exclamation': '⚠',
  'circle-exclamation': '!',
  'circle-info': 'ℹ',
  'circle-question': '?',
  square: '□',
  circle: '○',
  envelope: '✉',
  phone: '☎',
}

/** The element of an icon. */
export const iconMark = (name: string): HtmlElement =>
  h(
    'span',
    { className: ['icon'], role: 'img', ariaLabel: name.replace(/-/g, ' '), title: name },
    Object.hasOwn(CHARACTERS, name) ? (CHARACTERS[name] as string) : null,
  )
