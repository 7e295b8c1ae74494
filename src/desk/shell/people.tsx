/** People: initials in a colored circle. */

const COLORS = ['a', 'w', 'm', 't', 'i']

/** The first letters of the first and the last word of a name. */
export function initials(name: string): string {
  const parts = name.trim().split(/\s+/)
  const first = [...(parts[0] ?? '')][0] ?? ''
  const last = parts.length > 1 ? ([...(parts.at(-1) ?? '')][0] ?? '') : ''
  return (first + last).toUpperCase()
}

/** The initials of a person. A person has one color everywhere. The name must stand next to it or name its button. */
export function Avatar({ name, size = '' }: { name: string; size?: '' | 's' | 'l' }) {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0)
  return (
    <span class={`av ${size}`} data-p={COLORS[sum % COLORS.length]} aria-hidden="true">
      {initials(name)}
    </span>
  )
}
