/** Disks that are full or read-only. */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'

/** A separate file system in memory. */
export interface SmallDisk {
  dir: string
  /** Fills it to the last byte, also again after files were deleted. */
  fill(): void
  /** Undoes `fill`. */
  makeRoom(): void
  remount(how: 'ro' | 'rw'): void
  unmount(): void
}

/** Mounts it. Returns null if this process may not mount one. */
export function smallDisk(mebibytes = 32): SmallDisk | null {
  const dir = mkdtempSync(join(tmpdir(), 'small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    rmSync(dir, { recursive: true })
    return null
  }
  const filler = join(dir, 'filler')
  return {
    dir,
    fill() {
      const file = openSync(filler, 'a')
      try {
        for (const size of [1024 * 1024, 4096]) {
          try {
            for (;;) writeSync(file, Buffer.alloc(size))
          } catch (error) {
            assert.is((error as NodeJS.ErrnoException).code, 'ENOSPC')
          }
        }
      } finally {
        closeSync(file)
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remount: (how) => void execFileSync('mount', ['-o', `remount,${how}`, dir]),
    unmount() {
      execFileSync('umount', ['-l', dir])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
