/** Reads ZIP files. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'

/** Returns the files of an archive by name. Throws if it is damaged, or a name leads elsewhere. */
export async function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(archive, { lazyEntries: true, strictFileNames: true })
  const files = new Map<string, Buffer>()
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)))
  return files
}

/** Writes files below a folder. */
export async function unpack(files: ReadonlyMap<string, Buffer>, folder: string): Promise<void> {
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), bytes)
  }
}

/** Downloads a bundle, and waits until it is ready. */
export async function download(address: string, headers: Record<string, string> = {}): Promise<Response> {
  for (;;) {
    const response = await fetch(address, { headers, redirect: 'manual' })
    if (response.status !== 202) return response
    await response.arrayBuffer()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Downloads a bundle, and returns its files. */
export const filesAt = async (address: string, headers?: Record<string, string>): Promise<Map<string, Buffer>> =>
  unzip(Buffer.from(await (await download(address, headers)).arrayBuffer()))
