/** What a template is: content that a space begins with, or that is added to it. */
import type { ContentStructure } from '../types.js'

/** A place in a template for a file of the space, such as a logo. */
export interface TemplateRef {
  name: string
  description: string
  /** The file of the template that stands there by default: its path in the content. */
  file: string
}

/** A target in a page that leads to something else in the template. Offsets are UTF-16 units into the page's text. */
export interface TemplateLink {
  start: number
  end: number
  to: { page: string } | { file: string }
  /** `#anchor`, or ''. */
  suffix: string
}

export interface Template {
  id: string
  title: string
  description: string
  emoji?: string
  refs: readonly TemplateRef[]
  /** The files of its content, by path. */
  files: ReadonlyMap<string, Uint8Array>
  structure: ContentStructure
  /** The links within the template, by page. */
  links: ReadonlyMap<string, readonly TemplateLink[]>
}

/** A folder is no template. The message names the file, and says what to do. */
export class TemplateError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TemplateError'
  }
}
