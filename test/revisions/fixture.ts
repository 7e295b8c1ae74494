import type { Desk } from '../commits/fixture.js'
import { expectStatus } from '../commits/fixture.js'

export const FILES = {
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [First](first.md)\n* [Second](second.md)\n  * [Deep](second/deep.md)\n* [Third](third.md)\n',
  'README.md': '# Home\n\nWelcome.\n',
  'first.md': '---\ndescription: one\n---\n\n# First\n\nThe quick brown fox\njumps.\n',
  'second.md': '# Second\n',
  'second/deep.md': '# Deep\n\nDown here, with enough text that a rename is seen as one.\n',
  'third.md': '# Third\n',
  '.gitbook/assets/a.txt': 'a',
}

/** The body of a GET below the space. */
export const get = async (desk: Desk, path: string, status = 200) =>
  (await desk.admin.call('get', `${desk.url}${path}`).expect(expectStatus(status))).body
export const post = async (desk: Desk, path: string, body: object | undefined, status: number) =>
  (await desk.admin.call('post', `${desk.url}${path}`, body).expect(expectStatus(status))).body

/** Lines that plain Git printed. */
export const lines = async (desk: Desk, ...args: string[]): Promise<string[]> =>
  (await desk.git(...args)).split('\n').filter((line) => line !== '')
