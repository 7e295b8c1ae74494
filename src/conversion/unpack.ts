/**
 * The task that unpacks a ZIP archive, with limits for count, size and ratio, and without names that point elsewhere.
 */
import { asError } from '../kernel/thrown.js'
import { crc32 } from 'node:zlib'
import { type Entry, fromBuffer, getFileNameLowLevel, parseExtraFields, type ZipFile } from 'yauzl'
import { pack, type ContainerPart } from './container.js'
import { Unconvertible } from './refused.js'

/** The limits for one archive. */
export interface UnpackLimits {
  maxFiles: number
  /** Maximum unpacked size of all files together, in bytes. */
  maxBytes: number
  /** Maximum unpacked size of one file, in bytes. A larger file is omitted. */
  maxFileBytes: number
}

/** A file of an archive that was omitted. */
interface LeftOut {
  name: string
  reason: string
}

/** The facts that `unpack` returns with the files. */
export interface UnpackFacts {
  leftOut: LeftOut[]
}

/**
 * Maximum compression ratio of files larger than a megabyte. Text compresses to a twentieth, rarely to a hundredth; a
 * higher ratio indicates a ZIP bomb.
 */
const MAX_RATIO = 200
const RATIO_FROM_BYTES = 1024 * 1024
/** Maximum length of all names together, in characters. They are passed on as JSON. */
const MAX_NAMES = 4 * 1024 * 1024
/** Maximum number of nested folders. Deeper ones are hostile. */
const MAX_SEGMENTS = 30
/** Maximum number of omitted files that are reported. */
const MAX_LEFT_OUT = 500

const JUNK = /(^|\/)(__MACOSX|\.DS_Store|Thumbs\.db|desktop\.ini)(\/|$)|(^|\/)\.git(\/|$)/i

const isSymlink = ({ versionMadeBy, externalFileAttributes }: Entry): boolean =>
  versionMadeBy >> 8 === 3 && ((externalFileAttributes >>> 16) & 0o170000) === 0o120000

/**
 * Returns the name as text: UTF-8 if the archive declares it or the bytes are valid, else the code page of old
 * archives.
 */
function nameOf(entry: Entry): string {
  const raw = entry.fileName as unknown as Buffer
  const extra = parseExtraFields(entry.extraFieldRaw)
  const declared = getFileNameLowLevel(entry.generalPurposeBitFlag, raw, extra, false)
  if ((entry.generalPurposeBitFlag & 0x800) !== 0 || extra.some(({ id }) => id === 0x7075)) return declared
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(raw)
  } catch {
    return declared
  }
}

/** Returns the reason why a file with this name is not unpacked; null if it may be. */
function faultOf(name: string, entry: Entry): string | null {
  if (/^\/|^[A-Za-z]:/.test(name)) return 'its name is an absolute path'
  if (name.split('/').includes('..')) return 'its name points out of the archive'
  if (name.split('/').length > MAX_SEGMENTS) return `it is more than ${MAX_SEGMENTS} folders deep`
  if (/[\x00-\x1f\x7f]/.test(name)) return 'its name contains a control character'
  if (isSymlink(entry)) return 'it is a symbolic link'
  if ((entry.generalPurposeBitFlag & 1) !== 0) return 'it is encrypted'
  return null
}

const open = (zip: Uint8Array): Promise<ZipFile> =>
  new Promise((done, failed) =>
    fromBuffer(
      Buffer.from(zip.buffer, zip.byteOffset, zip.length),
      { lazyEntries: true, decodeStrings: false, validateEntrySizes: true },
      (error, file) =>
        error ? failed(new Unconvertible(`It is not a ZIP archive that can be read (${error.message}).`)) : done(file),
    ),
  )

const nextEntry = (file: ZipFile): Promise<Entry | null> =>
  new Promise((resolve, reject) => {
    const then =
      <T>(settle: (value: T) => void) =>
      (value: T): void => {
        file.removeAllListeners('entry').removeAllListeners('end').removeAllListeners('error')
        settle(value)
      }
    file.once('entry', then(resolve))
    file.once(
      'end',
      then(() => resolve(null)),
    )
    file.once(
      'error',
      then((error: Error) => reject(new Unconvertible(`Its list of files is damaged (${error.message}).`))),
    )
    file.readEntry()
  })

/**
 * Reads one file. Stops after `maxBytes`, whatever size the archive declares. Throws if the file is damaged, because
 * yauzl does not verify the checksum.
 */
async function readEntry(file: ZipFile, entry: Entry, maxBytes: number): Promise<Buffer | null> {
  const stream = await new Promise<NodeJS.ReadableStream & { destroy(): void }>((done, failed) =>
    file.openReadStream(entry, (error, opened) => (error ? failed(error) : done(opened))),
  )
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      stream.destroy()
      return null
    }
    chunks.push(chunk)
  }
  const content = Buffer.concat(chunks)
  if (crc32(content) !== entry.crc32) throw new Error('its content does not match its checksum')
  return content
}

const isBomb = ({ compressedSize, uncompressedSize }: Entry): boolean =>
  uncompressedSize > RATIO_FROM_BYTES && uncompressedSize > compressedSize * MAX_RATIO

/** Reads every allowed file of an archive. Throws `Unconvertible` if the whole archive exceeds a limit. */
export async function readArchive(
  zip: Uint8Array,
  limits: UnpackLimits,
): Promise<{ files: ContainerPart[]; leftOut: LeftOut[] }> {
  const archive = await open(zip)
  const files = new Map<string, ContainerPart>()
  const leftOut: LeftOut[] = []
  let entries = 0
  let bytes = 0
  let names = 0
  for (let entry = await nextEntry(archive); entry; entry = await nextEntry(archive)) {
    if (++entries > limits.maxFiles * 2 || files.size >= limits.maxFiles)
      throw new Unconvertible(`It has more than ${limits.maxFiles} files.`)
    const name = nameOf(entry)
      .replaceAll('\\', '/')
      .replace(/^(\.\/)+/, '')
    names += name.length
    if (names > MAX_NAMES) throw new Unconvertible(`The names of its files have more than ${MAX_NAMES} characters.`)
    if (name.endsWith('/') || JUNK.test(name)) continue
    const reason = files.has(name)
      ? 'another file in the archive has the same name'
      : isBomb(entry)
        ? `it is compressed more than ${MAX_RATIO} times`
        : faultOf(name, entry)
    const content =
      reason === null
        ? await readEntry(archive, entry, Math.min(limits.maxFileBytes, limits.maxBytes - bytes)).catch(
            (error: Error) => error,
          )
        : null
    if (content instanceof Buffer) {
      files.set(name, { name, content })
      bytes += content.length
      continue
    }
    if (content === null && reason === null && limits.maxBytes - bytes < limits.maxFileBytes)
      throw new Unconvertible(`Unpacked, it has more than ${limits.maxBytes} bytes.`)
    const why =
      reason ??
      (content === null
        ? `it has more than ${limits.maxFileBytes} bytes`
        : `it is damaged (${asError(content).message})`)
    if (leftOut.length < MAX_LEFT_OUT) leftOut.push({ name: name.slice(0, 500), reason: why })
  }
  return { files: [...files.values()], leftOut }
}

/** Unpacks an archive. If it contains only archives, unpacks these as well: large exports come in such parts. */
export async function unpack(zip: Uint8Array, limits: UnpackLimits): Promise<Uint8Array> {
  const outer = await readArchive(zip, limits)
  if (outer.files.length === 0 || !outer.files.every(({ name }) => /\.zip$/i.test(name)))
    return pack({ leftOut: outer.leftOut } satisfies UnpackFacts, outer.files)
  const files = new Map<string, ContainerPart>()
  const { leftOut } = outer
  let left = limits.maxBytes - outer.files.reduce((sum, { content }) => sum + content.length, 0)
  for (const { name, content } of outer.files) {
    const inner = await readArchive(content, {
      ...limits,
      maxBytes: left,
      maxFiles: limits.maxFiles - files.size,
    }).catch((error: Error) => error)
    if (inner instanceof Error) {
      leftOut.push({ name, reason: inner.message.replace(/^It/, 'it').replace(/\.$/, '') })
      continue
    }
    for (const file of inner.files) {
      if (files.has(file.name))
        leftOut.push({ name: `${name}/${file.name}`, reason: 'a file in a sibling archive has the same name' })
      else files.set(file.name, file)
    }
    left -= inner.files.reduce((sum, file) => sum + file.content.length, 0)
    leftOut.push(...inner.leftOut)
  }
  return pack({ leftOut: leftOut.slice(0, MAX_LEFT_OUT) } satisfies UnpackFacts, [...files.values()])
}
