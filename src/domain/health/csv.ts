/** Writes tables as CSV (RFC 4180), for spreadsheets. */

/** Signs with which a spreadsheet takes a cell for a formula. A text from a reader or a page must not become one. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const cellOf = (value: string | number | null): string => {
  const text = value === null ? '' : String(value)
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns rows as CSV with a header, and a byte order mark, so that spreadsheets read it as UTF-8. */
export const csvOf = (header: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string =>
  `\uFEFF${[header, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`
