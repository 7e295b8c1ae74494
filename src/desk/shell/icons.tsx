/** The icons of the app: strokes on a grid of 16. Each has a text next to it, or names its button. */

const SHAPES = {
  arrow: () => <path d="M2.5 8h11M9.5 4l4 4-4 4" />,
  back: () => <path d="M13.5 8h-11M6.5 4l-4 4 4 4" />,
  bell: () => (
    <path d="M3.5 11.5h9c-1-1-1.2-2.3-1.2-4A3.3 3.3 0 0 0 8 4.2 3.3 3.3 0 0 0 4.7 7.5c0 1.7-.2 3-1.2 4ZM6.7 13.8c.7.6 1.9.6 2.6 0M8 2.5v1.5" />
  ),
  bold: () => <path d="M4.5 3h4.2a2.4 2.4 0 0 1 0 5H4.5zM4.5 8h5a2.5 2.5 0 0 1 0 5h-5z" />,
  book: () => (
    <>
      <path d="M3 2.5h9.5v11H4.2A1.2 1.2 0 0 1 3 12.3z" />
      <path d="M3 12.2c0-.8.5-1.2 1.2-1.2h8.3" />
    </>
  ),
  broken: () => (
    <path d="M7 4.8l1.3-1.3a2.7 2.7 0 0 1 4 4L11 8.8M9 11.2l-1.3 1.3a2.7 2.7 0 0 1-4-4L5 7.2M2.5 2.5l2 2M13.5 13.5l-2-2" />
  ),
  check: () => <path d="m3 8.5 3.2 3.2L13 5" />,
  clock: () => (
    <>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M8 4.8V8l2.3 1.5" />
    </>
  ),
  code: () => <path d="m5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5 14 8l-3.5 3.5" />,
  comment: () => <path d="M2.5 3h11v8H7l-3 2.5V11H2.5z" />,
  copy: () => <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />,
  desktop: () => <path d="M1.8 3h12.4v8H1.8zM6 13.5h4M8 11v2.5" />,
  'arrow-down': () => <path d="M8 3v10M4 9l4 4 4-4" />,
  dots: () => <path d="M3.5 8v.1M8 8v.1M12.5 8v.1" stroke-width="2.2" />,
  down: () => <path d="M3.5 6 8 10.5 12.5 6" />,
  edit: () => <path d="m3 13 .6-2.8 7-7 2.2 2.2-7 7z" />,
  eye: () => (
    <>
      <path d="M1.5 8S4 3.7 8 3.7 14.5 8 14.5 8 12 12.3 8 12.3 1.5 8 1.5 8Z" />
      <circle cx="8" cy="8" r="1.9" />
    </>
  ),
  filter: () => <path d="M2 4h12M4.5 8h7M6.5 12h3" />,
  folder: () => <path d="M1.8 3.5h4.5l1.5 2h6.4v7.5H1.8z" />,
  gear: () => (
    <>
      <circle cx="8" cy="8" r="2" />
      <path d="M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4" />
    </>
  ),
  globe: () => (
    <>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M2.3 8h11.4M8 2.3c2 1.7 2.5 3.6 2.5 5.7S10 12 8 13.7C6 12 5.5 10.1 5.5 8S6 4 8 2.3Z" />
    </>
  ),
  grip: () => <path d="M6 3.5v.1M10 3.5v.1M6 8v.1M10 8v.1M6 12.5v.1M10 12.5v.1" stroke-width="2" />,
  heading: () => <path d="M4 3v10M12 3v10M4 8h8" />,
  hook: () => (
    <>
      <circle cx="4" cy="11.5" r="2" />
      <circle cx="12" cy="11.5" r="2" />
      <circle cx="8" cy="4" r="2" />
      <path d="M6.8 5.6 4.5 9.6M9.2 5.6l2.3 4M6 11.5h4" />
    </>
  ),
  image: () => (
    <>
      <path d="M2 3h12v10H2z" />
      <circle cx="5.5" cy="6.3" r="1" />
      <path d="m2.5 12 3.5-3.5 2 2 2.5-3 3 3.5" />
    </>
  ),
  info: () => (
    <>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M8 7.3v3.5M8 5.2v.1" />
    </>
  ),
  italic: () => <path d="M6.5 3h5M4.5 13h5M9.5 3l-3 10" />,
  key: () => (
    <>
      <circle cx="5" cy="11" r="2.7" />
      <path d="m7 9 6-6M10.5 5.5l2 2" />
    </>
  ),
  lang: () => (
    <path d="M2 4h7M5.5 2.5V4M8 4c-.5 2.5-2.5 4.8-5.5 6M3.5 6.5C4.5 8.3 6 9.5 8 10.2M8.5 13.5 11.3 7l2.8 6.5M9.5 11.3h3.6" />
  ),
  link: () => (
    <path d="M6.7 9.3 9.3 6.7M7 4.8l1.3-1.3a2.7 2.7 0 0 1 4 4L11 8.8M9 11.2l-1.3 1.3a2.7 2.7 0 0 1-4-4L5 7.2" />
  ),
  list: () => <path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4v.1M2.5 8v.1M2.5 12v.1" />,
  lock: () => <path d="M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5" />,
  mail: () => <path d="M2 3.5h12v9H2zM2.3 4 8 8.8 13.7 4" />,
  menu: () => <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  merge: () => (
    <>
      <circle cx="4" cy="3.8" r="1.7" />
      <circle cx="4" cy="12.2" r="1.7" />
      <circle cx="12" cy="8" r="1.7" />
      <path d="M4 5.5v5M4 5.5C4.5 7.2 6 8 10.3 8" />
    </>
  ),
  moon: () => <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z" />,
  offline: () => (
    <path d="M4.5 12.5a2.7 2.7 0 0 1-.6-5.3M6 4.6a4 4 0 0 1 6.2 3 2.5 2.5 0 0 1 .8 4.4M5.5 12.5h5M2.5 2.5l11 11" />
  ),
  'sign-out': () => <path d="M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4" />,
  page: () => (
    <>
      <path d="M3.5 1.8h6l3 3v9.4h-9z" />
      <path d="M9.3 2v3h3" />
    </>
  ),
  phone: () => <path d="M4.5 1.8h7v12.4h-7zM7.3 12.2h1.4" />,
  plus: () => <path d="M8 3v10M3 8h10" />,
  quote: () => <path d="M3 4v8M6 5h8M6 8h8M6 11h5" />,
  request: () => (
    <>
      <circle cx="4" cy="3.8" r="1.7" />
      <circle cx="4" cy="12.2" r="1.7" />
      <circle cx="12" cy="12.2" r="1.7" />
      <path d="M4 5.5v5M12 10.5V7a3 3 0 0 0-3-3H7.5M9 2.3 7.3 4 9 5.7" />
    </>
  ),
  right: () => <path d="m6 3.5 4.5 4.5L6 12.5" />,
  search: () => (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  shield: () => <path d="M8 1.8 13 3.5v4.3c0 3-2 5.2-5 6.4-3-1.2-5-3.4-5-6.4V3.5z" />,
  star: () => <path d="m8 2.2 1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4-2.9-2.8 4-.6z" />,
  sun: () => (
    <>
      <circle cx="8" cy="8" r="2.7" />
      <path d="M8 1.8v1.5M8 12.7v1.5M1.8 8h1.5M12.7 8h1.5M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1" />
    </>
  ),
  sync: () => (
    <path d="M13.3 7A5.5 5.5 0 0 0 3.5 4.8L2.5 6M2.7 9a5.5 5.5 0 0 0 9.8 2.2l1-1.2M2.5 3v3h3M13.5 13v-3h-3" />
  ),
  table: () => <path d="M2 3h12v10H2zM2 6.5h12M2 9.8h12M7 6.5V13" />,
  tablet: () => <path d="M3 1.8h10v12.4H3zM7.3 12.2h1.4" />,
  tabs: () => <path d="M2 5.5V13h12V5.5zM2 5.5V3h5v2.5" />,
  template: () => <path d="M2 2.5h12v3.5H2zM2 8.5h5v5H2zM9.5 8.5H14v5H9.5z" />,
  trash: () => <path d="M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4" />,
  undo: () => <path d="M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M5.8 3.7 3 6.5l2.8 2.8" />,
  'arrow-up': () => <path d="M8 13V3M4 7l4-4 4 4" />,
  upload: () => <path d="M2.5 10v3.5h11V10M8 10.5v-8M4.8 5.5 8 2.3l3.2 3.2" />,
  users: () => (
    <>
      <circle cx="6" cy="5.5" r="2.3" />
      <path d="M1.8 13c.3-2.6 1.9-4 4.2-4s3.9 1.4 4.2 4M10.5 3.4a2.3 2.3 0 0 1 0 4.3M11.8 9.3c1.3.5 2.2 1.8 2.4 3.7" />
    </>
  ),
  warn: () => (
    <>
      <path d="M8 2.2 14.3 13H1.7z" />
      <path d="M8 6.5v3M8 11.3v.1" />
    </>
  ),
  x: () => <path d="m4 4 8 8M12 4l-8 8" />,
}

/** The name of an icon. */
export type IconName = keyof typeof SHAPES

/** An icon that screen readers skip. */
export const Icon = ({ name, class: more = '' }: { name: IconName; class?: string }) => (
  <svg class={`ic ${more}`} viewBox="0 0 16 16" aria-hidden="true">
    {SHAPES[name]()}
  </svg>
)
