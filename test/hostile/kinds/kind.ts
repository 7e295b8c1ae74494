/** One way to create input that costs more than its size. */
export interface Kind {
  name: string
  /** Returns text of approximately the given number of bytes, never more. */
  make(bytes: number): string
}

/** Repeats `unit` as often as fits into `bytes`, in UTF-8. */
export const fill = (unit: string, bytes: number): string =>
  unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))))

/** Lines by number, until `bytes` are full. */
export function lines(bytes: number, line: (number: number) => string): string {
  const parts: string[] = []
  for (let length = 0, number = 0; ; number++) {
    const next = line(number)
    length += Buffer.byteLength(next)
    if (length > bytes) return parts.join('')
    parts.push(next)
  }
}

/** Puts repeated units before and after the middle, with half of the bytes on each side. */
export const around = (open: string, middle: string, close: string, bytes: number): string => {
  const count = Math.max(1, Math.floor((bytes - Buffer.byteLength(middle)) / Buffer.byteLength(open + close)))
  return open.repeat(count) + middle + close.repeat(count)
}
