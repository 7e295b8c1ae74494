/** The logo of the product. */
export const Mark = () => (
  <svg viewBox="0 0 22 22" aria-hidden="true">
    <rect class="cover" x="2" y="1" width="18" height="20" rx="3" />
    <path class="stitch" d="M7.5 4v2.6M7.5 9.7v2.6M7.5 15.4V18M11 7.5h5M11 11h5" />
  </svg>
)
