/** Writes the pictures of pages from the repository to files for the engine. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { imageDimensions } from '../../content/image-dimensions.js'
import { isFile } from '../../content/read-file.js'
import { ObjectTooLarge, type Snapshot } from '../../git/index.js'
import type { App } from '../context/app.js'
import { lfsFileOf } from '../revisions/lfs-files.js'

/** Maximum size of a printed picture in bytes. Larger ones are replaced by their text and a link. */
const MAX_PICTURE_BYTES = 20 * 1024 * 1024
/** Maximum number of pixels of a printed picture, since each takes four bytes in memory. */
const MAX_PIXELS = 60_000_000
/** Maximum total size in bytes of the pictures in a PDF. Further pictures are not printed. */
const MAX_BYTES = 1024 * 1024 * 1024

const TYPES: Record<string, string> = {
  png: 'png',
  jpg: 'jpg',
  jpeg: 'jpg',
  gif: 'gif',
  webp: 'webp',
  avif: 'avif',
  bmp: 'bmp',
  svg: 'svg',
}

/** The pictures of one PDF. A file that several pages show is written once. */
export class Pictures {
  /** File names by object ID. Null if the picture is not printed. */
  // bound: the pictures of one space
  readonly #written = new Map<string, string | null>()
  #bytes = 0

  constructor(
    private readonly app: App,
    private readonly space: string,
    private readonly snapshot: Snapshot,
    private readonly folder: string,
  ) {}

  /**
   * Returns the engine's address of the picture at a repository path. Null if the file is not a picture or is too
   * large.
   */
  async address(gitPath: string): Promise<string | null> {
    const type = TYPES[gitPath.slice(gitPath.lastIndexOf('.') + 1).toLowerCase()]
    const entry = type === undefined ? null : await this.snapshot.entry(gitPath)
    if (!entry || !isFile(entry)) return null
    const known = this.#written.get(entry.oid)
    const name = known === undefined ? await this.#write(entry.oid, `${entry.oid}.${type}`) : known
    this.#written.set(entry.oid, name)
    return name === null ? null : `/pictures/${name}`
  }

  /** Reads a picture, including Git LFS objects. Null if it is missing or too large. */
  async #read(oid: string): Promise<Buffer | null> {
    const content = await this.snapshot.read(oid, MAX_PICTURE_BYTES)
    const lfs = await lfsFileOf(this.app, this.space, this.snapshot, oid, content.length)
    if (!lfs) return content
    return lfs.state !== 'present' || lfs.size > MAX_PICTURE_BYTES
      ? null
      : this.app.lfsFiles.head(lfs.oid, lfs.size).catch(() => null)
  }

  async #write(oid: string, name: string): Promise<string | null> {
    try {
      const content = await this.#read(oid)
      if (content === null || this.#bytes + content.length > MAX_BYTES) return null
      const { width, height } = imageDimensions(content) ?? { width: 0, height: 0 }
      if (width * height > MAX_PIXELS) return null
      this.#bytes += content.length
      await mkdir(join(this.folder, 'pictures'), { recursive: true })
      await writeFile(join(this.folder, 'pictures', name), content)
      return name
    } catch (error) {
      if (error instanceof ObjectTooLarge) return null
      throw error
    }
  }
}
