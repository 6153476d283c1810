"""PDF files, written by hand."""

from __future__ import annotations

WIDTH, HEIGHT = 612, 792

Row = tuple[int, str]
"""Height of the letters in points, and a line of text."""


def pdf(
    *pages: list[Row],
    info: dict[str, str] | None = None,
    language: str = "",
    links: dict[str, str] | None = None,
    encrypt: bool = False,
    n_claimed: int = 0,
) -> bytes:
    """A file with these pages, one line below the other.

    ``links``: the words of a whole line, and the URL that it leads to. ``encrypt``: with a password that nobody knows.
    ``n_claimed``: pages that the file says it has.
    """
    objects: dict[int, bytes] = {
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    }
    kids, number = [], 4
    for rows in pages:
        y, content, annotations = HEIGHT - 72, [], []
        for size, text in rows:
            y -= round(1.2 * size)
            escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252")
            content.append(b"BT /F1 %d Tf 72 %d Td (%s) Tj ET" % (size, y, escaped))
            if links and text in links:
                right, top = 72 + size * len(text) // 2, y + size
                annotations.append(
                    b"<< /Type /Annot /Subtype /Link /Rect [72 %d %d %d] /Border [0 0 0] /A << /S /URI /URI (%s) >> >>"
                    % (y - 2, right, top, links[text].encode())
                )
        stream = b"\n".join(content)
        objects[number] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)
        objects[number + 1] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> "
            b"/Annots [%s] >>" % (WIDTH, HEIGHT, number, b" ".join(annotations))
        )
        kids.append(b"%d 0 R" % (number + 1))
        number += 2
    said = b" /Lang (%s)" % language.encode() if language else b""
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R%s >>" % said
    objects[2] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), n_claimed or len(pages))
    trailer = b"/Root 1 0 R"
    if info:
        objects[number] = b"<< %s >>" % b" ".join(b"/%s (%s)" % (k.encode(), v.encode()) for k, v in info.items())
        trailer += b" /Info %d 0 R" % number
        number += 1
    if encrypt:
        secret = b"<" + b"5a" * 32 + b">"
        objects[number] = b"<< /Filter /Standard /V 1 /R 2 /O %s /U %s /P -4 >>" % (secret, secret)
        trailer += b" /Encrypt %d 0 R /ID [<00> <00>]" % number
    return _file(objects, trailer)


def _file(objects: dict[int, bytes], trailer: bytes) -> bytes:
    body, places = b"%PDF-1.4\n", {}
    for number in sorted(objects):
        places[number] = len(body)
        body += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table = b"".join(b"%010d 00000 n \n" % places[number] for number in sorted(places))
    n_objects = len(objects) + 1
    start = b"xref\n0 %d\n0000000000 65535 f \n%s" % (n_objects, table)
    return body + start + b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (n_objects, trailer, len(body))
