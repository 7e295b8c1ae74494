/** Generates a large repository: many pages with tables, links and pictures, written over thousands of commits. */
import { spawn } from 'node:child_process'
import { createCipheriv } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { git, hermeticEnv } from '../../test/support/hermetic-git.js'
import { latin, numbers } from './words.js'

/** The size of a generated repository. */
export interface LargeSize {
  pages: number
  commits: number
  /** Bytes of all pictures together. */
  pictureBytes: number
  seed: number
}

const PER_FOLDER = 200
const FOLDERS_PER_AREA = 12
/** Sizes of pictures in bytes. The logarithms of the sizes are distributed evenly. */
const MIN_PICTURE_BYTES = 100_000
const MAX_PICTURE_BYTES = 2_000_000
const MEAN_PICTURE_BYTES = (MAX_PICTURE_BYTES - MIN_PICTURE_BYTES) / Math.log(MAX_PICTURE_BYTES / MIN_PICTURE_BYTES)
/**
 * Maximum number of pages that the table of contents lists. The service reads at most 25,000 entries and groups. A
 * larger repository has no table of contents, so its tree is inferred from its folders.
 */
const MAX_LISTED_PAGES = 24_000
/** Number of editions of the table of contents in the history. */
const EDITIONS = 20
/** Number of earlier pages that each commit changes. */
const EDITS = 3

const folderOf = (page: number): number => Math.floor(page / PER_FOLDER)

/** Returns the path of a page. */
export const largePath = (page: number): string =>
  `area-${Math.floor(folderOf(page) / FOLDERS_PER_AREA)}/part-${folderOf(page)}/page-${page}.md`

const picturePath = (picture: number): string => `.gitbook/assets/picture-${picture}.png`

/** Returns the number of pictures of a repository. */
export const pictureCount = ({ pictureBytes }: LargeSize): number => Math.round(pictureBytes / MEAN_PICTURE_BYTES)

/** Returns markdown of about four kilobytes with headings, lists, a table, code, and links to pages and pictures. */
export function largePage(size: LargeSize, page: number, edition: number): string {
  const next = numbers(size.seed + page * 7919 + edition * 104_729)
  const words = (count: number): string => Array.from({ length: count }, () => latin(next)).join(' ')
  const sentence = (): string => `${words(8 + Math.floor(next() * 10))}.`
  const paragraph = (): string => Array.from({ length: 3 }, sentence).join(' ')
  const link = (): string => {
    const target = Math.floor(next() * size.pages)
    return `[${words(2)}](${folderOf(target) === folderOf(page) ? `page-${target}.md` : `../../${largePath(target)}`})`
  }
  const pictures = pictureCount(size)
  const section = (): string => `## ${words(3)}\n\n${paragraph()}\n\n${paragraph()}`
  const parts = [
    `---\ndescription: ${words(6)}\n---`,
    `# Page ${page} ${words(2)}`,
    `${paragraph()} See ${link()}.`,
    section(),
    `* ${sentence()}\n* ${sentence()} ${link()}\n  * ${sentence()}\n  * ${sentence()}`,
    ...(pictures > 0 ? [`![${words(3)}](../../${picturePath(page % pictures)})`] : []),
    section(),
    `| Option | Meaning | More |\n|---|---|---|\n${Array.from({ length: 4 }, () => `| \`${latin(next)}\` | ${words(5)} | ${link()} |`).join('\n')}`,
    section(),
    `\`\`\`sh\nbindery serve --port ${3000 + (page % 1000)}\n\`\`\``,
    `{% hint style="info" %}\n${paragraph()}\n{% endhint %}`,
    section(),
  ]
  return `${parts.join('\n\n')}\n`
}

function summary(pages: number): string {
  const lines = ['# Table of contents', '', '* [Welcome](README.md)']
  for (let page = 0; page < pages; page++) {
    if (page % PER_FOLDER === 0) lines.push('', `## Part ${folderOf(page)}`, '')
    lines.push(`${page % 10 === 0 ? '' : '  '}* [Page ${page}](${largePath(page)})`)
  }
  return `${lines.join('\n')}\n`
}

/** Returns a PNG header, followed by bytes that cannot be compressed. */
function picture(size: LargeSize, index: number): Buffer {
  const next = numbers(size.seed + index * 31)
  const bytes = Math.round(MIN_PICTURE_BYTES * (MAX_PICTURE_BYTES / MIN_PICTURE_BYTES) ** next())
  const key = Buffer.alloc(16)
  key.writeUInt32BE(size.seed, 0)
  key.writeUInt32BE(index, 4)
  const data = createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes))
  data.write('89504e470d0a1a0a0000000d494844520000032000000258080600000000000000', 'hex')
  return data
}

/**
 * Creates a bare repository. The first commit has half of the pages, and each later one adds some of the other half with
 * their pictures, and changes earlier pages.
 */
export async function generateLarge(path: string, size: LargeSize): Promise<void> {
  await mkdir(path, { recursive: true })
  await git(path, ['init', '--quiet', '--bare', '--initial-branch=main', '.'])
  // Git looks for deltas between all versions of a file, which takes long for pictures and finds nothing.
  await mkdir(join(path, 'info'), { recursive: true })
  await writeFile(join(path, 'info', 'attributes'), '*.png -delta\n')
  const child = spawn('git', ['-c', 'core.compression=1', 'fast-import', '--quiet', '--depth=0'], {
    cwd: path,
    env: hermeticEnv,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  await writeHistory(child.stdin, size)
  child.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`git fast-import: exit ${code}`)
  await git(path, ['repack', '-a', '-d', '-q', '--write-bitmap-index'])
}

async function writeHistory(stream: Writable, size: LargeSize): Promise<void> {
  const { pages, commits } = size
  const put = async (file: string, content: string | Buffer): Promise<void> => {
    stream.write(`M 100644 inline ${file}\ndata ${Buffer.byteLength(content)}\n`)
    if (!(stream.write(content) && stream.write('\n'))) await once(stream, 'drain')
  }
  const next = numbers(size.seed)
  const pictures = pictureCount(size)
  /** Number of pages, or of pictures, that exist after a commit. */
  const after = (commit: number, all: number): number =>
    commits < 2 ? all : Math.floor((all * (commits - 1 + commit)) / (2 * (commits - 1)))
  const listed = pages <= MAX_LISTED_PAGES
  for (let commit = 0; commit < commits; commit++) {
    const who = `Writer ${commit % 7} <writer-${commit % 7}@example.org> ${1_700_000_000 + commit * 3600} +0000`
    const message = commit === 0 ? 'Write the documentation\n' : `Edit ${commit}\n`
    stream.write(`commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n${message}`)
    const before = (all: number): number => (commit === 0 ? 0 : after(commit - 1, all))
    if (commit === 0) await put('README.md', '# Welcome\n\nA generated documentation.\n')
    if (listed && (commit % Math.ceil(commits / EDITIONS) === 0 || commit === commits - 1))
      await put('SUMMARY.md', summary(after(commit, pages)))
    for (let at = before(pictures); at < after(commit, pictures); at++) await put(picturePath(at), picture(size, at))
    for (let at = before(pages); at < after(commit, pages); at++) await put(largePath(at), largePage(size, at, 0))
    for (let edit = 0; commit > 0 && edit < EDITS; edit++) {
      const page = Math.floor(next() * before(pages))
      await put(largePath(page), largePage(size, page, commit))
    }
    stream.write('\n')
  }
}
