"""Texts that are markup for a browser wherever nobody escapes them."""

from __future__ import annotations

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><animate onbegin=alert(1)>",
    "<style>*{background:url(//evil)}</style>",
    '<a href="javascript:alert(1)" onclick="alert(1)" style="position:fixed">x</a>',
    "[x](javascript:alert(1)) [y](JaVaScRiPt&colon;alert(1)) [z](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox) [y](file:///etc/passwd) [z](//evil.example/x) [w](/\\evil.example) [v](\\\\evil)",
    "<https://ok.example/?q=<script>> <javascript:alert(1)> <x onclick=alert(1)@y.z>",
    "![x](javascript:alert(1)) ![y](https://evil.example/pixel.png)",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62;",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><form action=//evil><input name=token><button>x",
    "<div id=main class=record><base href=//evil><meta http-equiv=refresh content=0><link rel=stylesheet href=//e>",
    '[[<img src=x onerror=alert(1)>|<svg/onload=alert(1)>]] [["><script>alert(1)</script>]]',
    '<!-- id: " onmouseover=alert(1) x=" --> text <!-- --><script>alert(1)</script> -->',
    '[a](https://ok.example "title\\" onclick=alert(1)") [b]: javascript:alert(1)\n[b]',
    "`<script>` ``<img src=x onerror=alert(1)>`` ~~<b onclick=alert(1)>~~",
)
