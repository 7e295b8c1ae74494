/**
 * Renders icons by their Font Awesome names. Icons with a meaning become a character, others an empty
 * element with a label.
 */
import { own } from '../kernel/defined.js'
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

/** Returns the element of an icon. */
export const iconMark = (name: string): HtmlElement =>
  h(
    'span',
    { className: ['icon'], role: 'img', ariaLabel: name.replace(/-/g, ' '), title: name },
    own(CHARACTERS, name) ?? null,
  )
