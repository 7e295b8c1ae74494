/** The names of the files in a bundle. They are valid on every system, and differ by more than upper and lower case. */
import { decodePercent } from '../../content/paths.js'

/** The folders of the files that pages load. */
export const ASSETS = '~assets'
export const FILES = '~files'

/** Maximum length of a part and of a whole name in characters. Unpacking below a long path must succeed. */
const MAX_PART = 60
const MAX_NAME = 150
/** Names that Windows reserves for devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** Returns a part of a path as a file name that every system accepts. */
export function fileName(part: string): string {
  const name = [...part.normalize('NFC').replace(/[<>:"/\\|?*\p{Cc}~]/gu, '-')].slice(0, MAX_PART).join('')
  const plain = name.replace(/[. ]+$/, '')
  return plain === '' || RESERVED.test(plain.replace(/\..*$/s, '')) ? `_${plain}` : plain
}

/** Assigns unique file names. */
export class FileNames {
  // bound: the pages and files of a bundle
  readonly #taken = new Set<string>()

  /** Returns the name of a page by its path below the site, encoded; '' is the root. */
  page(path: string): string {
    const parts = path.split('/').filter((part) => part !== '')
    const name = parts.map((part) => fileName(decodePercent(part) ?? part)).join('/')
    return this.#unique(
      name === '' ? 'index' : name.length > MAX_NAME ? name.slice(-MAX_NAME).replace(/^.*?\//, '') : name,
      '.html',
    )
  }

  /** Returns the name of a file that pages show or link to. */
  file(name: string): string {
    const [, stem = name, extension = ''] = /^(.+?)(\.[A-Za-z\d]{1,8})?$/s.exec(name) ?? []
    return this.#unique(`${FILES}/${fileName(stem)}`, extension)
  }

  #unique(stem: string, extension: string): string {
    for (let count = 1; ; count++) {
      const name = `${stem}${count === 1 ? '' : `-${count}`}${extension}`
      const folded = name.toLowerCase()
      if (this.#taken.has(folded)) continue
      this.#taken.add(folded)
      return name
    }
  }
}

/** Returns the address of a file as seen from another one. */
export function addressFrom(from: string, to: string): string {
  const up = '../'.repeat(from.split('/').length - 1)
  return up + to.split('/').map(encodeURIComponent).join('/')
}
